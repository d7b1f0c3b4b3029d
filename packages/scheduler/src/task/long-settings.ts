/**
 * Settings of many bytes as JSON text, in rows of tasks and of batches. Whoever lists tasks passes the text on; only who does the work makes
 * values of it. As values, half a million words took a tenth of a second and more, each time that anybody looked at the queue.
 */
import type { JsonObject, SettingsUpdate, TaskContent } from './content.js';
import type { Batch } from './task.js';

/** Settings whose text is longer are kept as text. */
const LONG_TEXT_UNITS = 64 * 1024;

/** Details whose JSON text is known. */
export class DetailsText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** The task of settings whose text is known: read from it when they are asked for, which may be never in this thread. */
export function settingsUpdateOf(
  settingsText: string,
  { indexUid, allowIndexCreation }: Pick<SettingsUpdate, 'indexUid' | 'allowIndexCreation'>,
): SettingsUpdate {
  const update = { type: 'settingsUpdate', indexUid, settings: {}, allowIndexCreation } as const;
  // a name or a word may look like it, which costs time alone
  if (settingsText.includes('"embedders":')) return { ...update, settings: JSON.parse(settingsText) as JsonObject };
  return readLater({ ...update, settingsText }, 'settings', settingsText);
}

/** What is packed of a content: of a long change of settings the text alone. */
export function packedContent(content: TaskContent): TaskContent {
  if (content.type !== 'settingsUpdate') return content;
  const settingsText = content.settingsText ?? longText(content.settings);
  if (settingsText === undefined) return content;
  const { type, indexUid, allowIndexCreation } = content;
  return { type, indexUid, settings: {}, settingsText, allowIndexCreation };
}

/** The content that was packed; its settings are read from their text when they are asked for. */
export function unpackedContent(content: TaskContent): TaskContent {
  if (content.type !== 'settingsUpdate' || content.settingsText === undefined) return content;
  const { settingsText, indexUid, allowIndexCreation } = content;
  return readLater(
    { type: 'settingsUpdate', indexUid, settings: {}, settingsText, allowIndexCreation },
    'settings',
    settingsText,
  );
}

/** The same of a batch, whose details are those of its tasks. */
export function packedBatch(batch: Batch): Batch {
  const detailsText = batch.detailsText ?? longText(batch.details);
  return detailsText === undefined ? batch : { ...batch, details: {}, detailsText };
}

/** The batch that was packed. */
export function unpackedBatch(batch: Batch): Batch {
  return batch.detailsText === undefined ? batch : readLater(batch, 'details', batch.detailsText);
}

/** Secrets of embedders are masked where they are shown, for which one has to know them: these are kept as values. */
function longText(settings: JsonObject): string | undefined {
  if ('embedders' in settings) return undefined;
  const text = JSON.stringify(settings);
  return text.length > LONG_TEXT_UNITS ? text : undefined;
}

/** Makes a member of the object the value of a JSON text, read when somebody asks for it. */
function readLater<T extends object>(object: T, name: keyof T, text: string): T {
  let value: unknown;
  const get = (): unknown => {
    value ??= JSON.parse(text);
    return value;
  };
  return Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
}

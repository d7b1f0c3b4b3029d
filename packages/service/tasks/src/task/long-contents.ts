/**
 * Long settings, and long contexts of edits, are stored as JSON text in the rows of tasks and batches. Listing tasks
 * passes the text on; only executing the task parses it. Parsing half a million words took a tenth of a second and more
 * at each look at the queue. A context is stored as text also where a row would not keep its numbers or the order of its members.
 */

import type { Json, JsonObject } from '@fossick/base';
import { isPlainJson, JsonText, parseDocument, toJsonText } from '@fossick/documents';
import type { DocumentEdition, SettingsUpdate, TaskContent } from './content.js';
import type { Batch } from './task.js';

/** Settings and contexts whose text is longer than this are kept as text. */
const LONG_TEXT_UNITS = 64 * 1024;

/** The value of a JSON text: `toJsonText` writes the text, which the compiler does not see. */
export const textOf = (text: string): JsonObject => new JsonText(text) as unknown as JsonObject;

/**
 * A settings task whose text is known: its settings are parsed on first access, which may never happen in this thread.
 */
export function settingsUpdateOf(
  settingsText: string,
  { indexUid, allowIndexCreation }: Pick<SettingsUpdate, 'indexUid' | 'allowIndexCreation'>,
): SettingsUpdate {
  const update = { type: 'settingsUpdate', indexUid, settings: {}, allowIndexCreation } as const;
  // a name or a word may contain it too, which only costs time
  if (settingsText.includes('"embedders":')) return { ...update, settings: JSON.parse(settingsText) as JsonObject };
  return readLater({ ...update, settingsText }, 'settings', settingsText);
}

/** The content to store: for a long change of settings, or a long context of an edit, only the text. */
export function packedContent(content: TaskContent): TaskContent {
  if (content.type === 'documentEdition') return packedEdition(content);
  if (content.type !== 'settingsUpdate') return content;
  const settingsText = content.settingsText ?? longText(content.settings);
  if (settingsText === undefined) return content;
  const { type, indexUid, allowIndexCreation } = content;
  return { type, indexUid, settings: {}, settingsText, allowIndexCreation };
}

function packedEdition(content: DocumentEdition): DocumentEdition {
  const contextText = content.contextText ?? keptText(content.context);
  if (contextText === undefined) return content;
  const { type, indexUid, function: source, filter, onDocumentError } = content;
  const skipping = onDocumentError === undefined ? {} : { onDocumentError };
  return { type, indexUid, function: source, filter, context: null, contextText, ...skipping };
}

/** The stored content; its settings or context are parsed on first access. */
export function unpackedContent(content: TaskContent): TaskContent {
  if (content.type === 'documentEdition' && content.contextText !== undefined)
    return readLater({ ...content }, 'context', content.contextText, parseDocument);
  if (content.type !== 'settingsUpdate' || content.settingsText === undefined) return content;
  const { settingsText, indexUid, allowIndexCreation } = content;
  return readLater(
    { type: 'settingsUpdate', indexUid, settings: {}, settingsText, allowIndexCreation },
    'settings',
    settingsText,
  );
}

/** The same for a batch, whose details are those of its tasks. */
export function packedBatch(batch: Batch): Batch {
  const detailsText = batch.detailsText ?? longText(batch.details);
  return detailsText === undefined ? batch : { ...batch, details: {}, detailsText };
}

/** The stored batch. */
export function unpackedBatch(batch: Batch): Batch {
  return batch.detailsText === undefined ? batch : readLater(batch, 'details', batch.detailsText, parseDocument);
}

/** Secrets of embedders are masked when shown, which needs values: settings with embedders are not kept as text. */
function longText(settings: JsonObject): string | undefined {
  return 'embedders' in settings ? undefined : keptText(settings);
}

/** The text of a value that is long, or that a row would change. */
function keptText(value: Json): string | undefined {
  const text = toJsonText(value);
  return text.length > LONG_TEXT_UNITS || !isPlainJson(text) ? text : undefined;
}

/** Defines a member of the object that parses a JSON text on first access. */
function readLater<T extends object>(
  object: T,
  name: keyof T,
  text: string,
  parse: (text: string) => unknown = JSON.parse,
): T {
  let value: unknown;
  const get = (): unknown => {
    value ??= parse(text);
    return value;
  };
  return Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
}

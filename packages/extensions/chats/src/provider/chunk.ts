import { isJsonObject } from '@fossick/api';

/** A JSON object with unchecked members: providers send more than any list of ours has. */
export type Loose = Readonly<Record<string, unknown>>;

/** One piece of an answer in the chat completions streaming format; unknown members are passed on. */
export interface Chunk extends Loose {
  readonly choices: readonly Choice[];
}
export interface Choice extends Loose {
  readonly index: number;
  readonly delta: Loose;
  readonly finish_reason: string | null;
}

/**
 * A message of a provider, a piece or a whole answer, as a chunk with at most one choice; undefined for anything else.
 * A whole answer has a `message` where a piece has a `delta`. Texts in parts are joined, as some models of Mistral send
 * them.
 */
export function chunkOf(sent: unknown): Chunk | undefined {
  if (!isJsonObject(sent)) return undefined;
  const { choices = [] } = sent;
  if (!Array.isArray(choices)) return undefined;
  const first: unknown = choices.find((choice) => isJsonObject(choice) && (choice['index'] ?? 0) === 0);
  if (choices.length > 0 && !isJsonObject(first)) return undefined;
  if (!isJsonObject(first)) return { ...sent, choices: [] };
  const delta = first['delta'] ?? first['message'] ?? {};
  if (!isJsonObject(delta)) return undefined;
  const { message: _whole, ...choice } = first;
  const finish = first['finish_reason'];
  return {
    ...sent,
    choices: [
      { ...choice, index: 0, delta: plainDelta(delta), finish_reason: typeof finish === 'string' ? finish : null },
    ],
  };
}

function plainDelta(delta: Loose): Loose {
  const { content } = delta;
  if (!Array.isArray(content)) return delta;
  const texts = content.map((part: unknown) =>
    isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : '',
  );
  return { ...delta, content: texts.join('') };
}

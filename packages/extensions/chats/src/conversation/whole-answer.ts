import { isJsonObject } from '@fossick/api';
import { own, setOwn } from '@fossick/base';
import type { Chunk, Loose } from '../provider/chunk.js';
import { GatheredMembers } from '../provider/gathered-members.js';

/** Members of a delta that arrive in pieces. */
const TEXTS = new Set(['content', 'refusal', 'reasoning_content', 'reasoning']);

/** The chunks of one answer as one object in the chat completions format. O(characters) @throws ProviderError for too many members */
export async function wholeAnswer(chunks: AsyncIterable<Chunk>): Promise<Loose> {
  const outer = new GatheredMembers();
  let finish: string | null = null;
  const message = new GatheredMembers();
  message.set({ role: 'assistant', content: null });
  const calls: Record<string, unknown>[] = [];
  const logprobs: Record<string, unknown[]> = {};
  for await (const { choices, ...said } of chunks) {
    outer.set(said);
    const [choice] = choices;
    if (choice === undefined) continue;
    finish = choice.finish_reason ?? finish;
    addLogprobs(logprobs, choice['logprobs']);
    const { tool_calls: pieces, ...delta } = choice.delta;
    for (const [name, value] of Object.entries(delta)) {
      const isText = TEXTS.has(name) && typeof value === 'string';
      if (isText) message.set({ [name]: `${String(own(message.all, name) ?? '')}${value}` });
      else if (value !== null) message.set({ [name]: value });
    }
    if (Array.isArray(pieces)) for (const piece of pieces as Loose[]) addPiece(calls, piece);
  }
  if (calls.length > 0) message.set({ tool_calls: calls });
  const probabilities = Object.keys(logprobs).length === 0 ? null : logprobs;
  const choice = { index: 0, message: message.all, logprobs: probabilities, finish_reason: finish ?? 'stop' };
  const { id, object: _chunk, created, model, ...more } = outer.all;
  return { id, object: 'chat.completion', created, model, choices: [choice], ...more };
}

/** Indexes of an answer's calls are consecutive from zero. */
function addPiece(calls: Record<string, unknown>[], { index, function: named, ...more }: Loose): void {
  const at = Number(index);
  const before = calls[at];
  const given = isJsonObject(named) ? named : {};
  if (before === undefined) {
    calls[at] = { ...more, function: { ...given } };
    return;
  }
  // in place: an answer has a hundred thousand pieces
  for (const [name, value] of Object.entries(more)) setOwn(before, name, value);
  const begun = before['function'] as { arguments: string };
  begun.arguments += String(given['arguments'] ?? '');
}

function addLogprobs(all: Record<string, unknown[]>, given: unknown): void {
  if (!isJsonObject(given)) return;
  for (const [name, values] of Object.entries(given))
    if (Array.isArray(values)) {
      const known = own(all, name) ?? [];
      for (const value of values as unknown[]) known.push(value);
      setOwn(all, name, known);
    }
}

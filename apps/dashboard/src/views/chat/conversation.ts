import { createParser } from 'eventsource-parser';
import { ApiFault, send } from '../../api/client.js';
import type { Document } from '../../api/types.js';

/** A message as the server and its provider read it. The server stores none: each request has the whole conversation. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: string;
}
/** An event of an answer in progress. */
export type ChatEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'search'; readonly uid: string; readonly q: string; readonly filter: string }
  | { readonly kind: 'sources'; readonly documents: readonly Document[] }
  /** To be stored with the messages, before the answer. */
  | { readonly kind: 'keep'; readonly message: ChatMessage };

export interface Question {
  readonly workspace: string;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** A key for the chosen indexes only, instead of the session's. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

const tool = (name: string, properties: object): object => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties } },
});
const text = { type: 'string' };
/** Tools by which the server informs this page; models do not see them. */
const TOOLS = [
  tool('_serviceSearchProgress', { call_id: text, function_name: text, function_parameters: text }),
  tool('_serviceAppendConversationMessage', {
    ...{ role: text, content: text, tool_calls: { type: 'array' }, tool_call_id: text },
  }),
  tool('_serviceSearchSources', { call_id: text, documents: { type: 'array' } }),
];

interface Chunk {
  readonly type?: string;
  readonly error?: { readonly message: string; readonly code?: string };
  readonly choices?: readonly { readonly delta?: Delta }[];
}
interface Delta {
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly function?: { readonly name?: string; readonly arguments?: string } }[];
}

/** Sends a question and yields the events of its answer. @throws ApiFault, AbortError */
export async function ask(
  { workspace, model, messages, key, signal }: Question,
  hear: (event: ChatEvent) => void,
): Promise<void> {
  const path = `/chats/${encodeURIComponent(workspace)}/chat/completions`;
  const body = { model, messages, tools: TOOLS, stream: true };
  const answer = await send('POST', path, { body, signal, ...(key === undefined ? {} : { key }) });
  const faults: ApiFault[] = [];
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return;
      const chunk = JSON.parse(data) as Chunk;
      if (chunk.error !== undefined) faults.push(new ApiFault(0, chunk.error.code ?? 'provider', chunk.error.message));
      for (const { delta } of chunk.choices ?? []) for (const event of eventsOf(delta ?? {})) hear(event);
    },
  });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) parser.feed(piece.value);
  if (faults[0] !== undefined) throw faults[0];
}

/** The events in a piece of the answer; each call of our own tools is complete. */
export function eventsOf({ content, tool_calls: calls = [] }: Delta): ChatEvent[] {
  const events: ChatEvent[] = [];
  for (const { function: called } of calls) {
    const callArguments = parsed(called?.arguments);
    if (called?.name === '_serviceAppendConversationMessage')
      events.push({ kind: 'keep', message: callArguments as typeof callArguments & ChatMessage });
    if (called?.name === '_serviceSearchProgress') {
      const { index_uid: uid, q, filter } = parsed(callArguments['function_parameters']);
      events.push({ kind: 'search', uid: String(uid ?? ''), q: String(q ?? ''), filter: String(filter ?? '') });
    }
    if (called?.name === '_serviceSearchSources')
      events.push({
        kind: 'sources',
        documents: Array.isArray(callArguments['documents']) ? (callArguments['documents'] as Document[]) : [],
      });
  }
  if (typeof content === 'string' && content !== '') events.push({ kind: 'text', text: content });
  return events;
}

/** Models may write invalid JSON, which is ignored. */
function parsed(given: unknown): Record<string, unknown> {
  try {
    return (JSON.parse(String(given)) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

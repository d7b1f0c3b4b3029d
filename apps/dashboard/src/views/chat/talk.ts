import { createParser } from 'eventsource-parser';
import { useRef, useState } from 'react';
import { ApiFault, call, send } from '../../api/client.js';
import type { ApiKey, Document, Page } from '../../api/types.js';
import { signToken } from '../../parts/sign-token.js';

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

/** Lifetime of a conversation's token; each question makes a new one. */
const TOKEN_SECONDS = 3_600;

/**
 * A token for chats over these indexes only, signed with the server's chat key; undefined when the session's key may not read keys, or
 * there is no chat key: then the model is only instructed to use these indexes. Signing requires a page from HTTPS or localhost.
 */
async function keyForIndexes(uids: readonly string[]): Promise<string | undefined> {
  if (crypto.subtle === undefined) return undefined;
  let keys: readonly ApiKey[];
  try {
    keys = (await call<Page<ApiKey>>('GET', '/keys', { query: { limit: 1_000 } })).results;
  } catch (error) {
    if (error instanceof ApiFault) return undefined;
    throw error;
  }
  const parent = keys.find(({ actions, indexes, expiresAt }) => {
    const isLive = expiresAt === null || Date.parse(expiresAt) > Date.now();
    return isLive && indexes.includes('*') && actions.includes('chatCompletions') && actions.includes('search');
  });
  if (parent === undefined) return undefined;
  const claims = { apiKeyUid: parent.uid, searchRules: uids, exp: Math.floor(Date.now() / 1000) + TOKEN_SECONDS };
  return signToken(claims, parent.key);
}

/** A part of a conversation, as it is shown. */
export type TalkPart =
  | { readonly kind: 'question' | 'answer' | 'fault'; readonly text: string }
  | { readonly kind: 'search'; readonly uid: string; readonly q: string; readonly filter: string }
  | { readonly kind: 'sources'; readonly uid: string; readonly documents: readonly Document[] };

export interface TalkChoice {
  readonly workspace: string;
  readonly model: string;
  /** The indexes to search in; empty: all. */
  readonly indexes: readonly string[];
}

/** The state of a conversation, and the function to continue it. */
export function useTalk({ workspace, model, indexes }: TalkChoice) {
  const [parts, setParts] = useState<readonly TalkPart[]>([]);
  const [isBusy, setBusy] = useState(false);
  const messages = useRef<readonly ChatMessage[]>([]);
  const abort = useRef<AbortController | null>(null);

  const say = async (question: string): Promise<boolean> => {
    abort.current = new AbortController();
    setBusy(true);
    setParts((before) => [...before, { kind: 'question', text: question }]);
    const sent: ChatMessage[] = [...messages.current, { role: 'user', content: question }];
    const answered: ChatMessage[] = [];
    let answer = '';
    try {
      const key = indexes.length === 0 ? undefined : await keyForIndexes(indexes);
      const context =
        indexes.length === 0
          ? sent
          : [{ role: 'system', content: `Search in these indexes alone: ${indexes.join(', ')}.` }, ...sent];
      await ask({ workspace, model, messages: context, key, signal: abort.current.signal }, (event) => {
        if (event.kind === 'keep') {
          // the stored message contains the text so far
          if (event.message.role === 'assistant') answer = '';
          answered.push(event.message);
        } else if (event.kind === 'text') answer += event.text;
        setParts((before) => withEvent(before, event));
      });
      messages.current = [...sent, ...answered, { role: 'assistant', content: answer }];
      return true;
    } catch (fault) {
      // the question is removed too, because models reject an unanswered one
      if (!(fault instanceof DOMException)) {
        const text = fault instanceof Error ? fault.message : String(fault);
        setParts((before) => [...before, { kind: 'fault', text }]);
      }
      return false;
    } finally {
      setBusy(false);
    }
  };
  const stop = () => abort.current?.abort();
  const clear = (): void => {
    messages.current = [];
    setParts([]);
  };
  return { parts, isBusy, say, stop, clear };
}

type Event = Parameters<Parameters<typeof ask>[1]>[0];
/** The parts after an event: text is appended to the current answer. */
export function withEvent(parts: readonly TalkPart[], event: Event): readonly TalkPart[] {
  const last = parts.at(-1);
  switch (event.kind) {
    case 'keep':
      return parts;
    case 'text':
      return last?.kind === 'answer'
        ? parts.with(-1, { kind: 'answer', text: last.text + event.text })
        : [...parts, { kind: 'answer', text: event.text }];
    case 'search':
      return [...parts, event];
    case 'sources': {
      const search = parts.findLast((part) => part.kind === 'search');
      return [
        ...parts,
        { kind: 'sources', uid: search?.kind === 'search' ? search.uid : '', documents: event.documents },
      ];
    }
  }
}

/** A message as the server and its provider read it. The server stores none: each request has the whole conversation. */
interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: string;
}

/** An event of an answer in progress. */
type ChatEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'search'; readonly uid: string; readonly q: string; readonly filter: string }
  | { readonly kind: 'sources'; readonly documents: readonly Document[] }
  /** To be stored with the messages, before the answer. */
  | { readonly kind: 'keep'; readonly message: ChatMessage };

interface Question {
  readonly workspace: string;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** A key for the chosen indexes only, instead of the session's. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

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
async function ask(
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

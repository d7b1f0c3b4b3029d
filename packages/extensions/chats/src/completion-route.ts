import { ApiError } from '@fossick/base';
import type { Access } from '@fossick/instance/access';
import type {
  ExtensionAnswer,
  ExtensionHost,
  ExtensionRequest,
  ExtensionRoute,
  LastingRight,
} from '@fossick/runtime/extension';
import type { ChatRecord } from './chat-metrics.js';
import { readCompletionRequest } from './conversation/completion-request.js';
import { type ConversationCounter, converse } from './conversation/conversation.js';
import { FacetHints } from './conversation/facet-hints.js';
import { IndexSearches } from './conversation/index-searches.js';
import type { OpenConversations } from './conversation/open-conversations.js';
import { SearchLanes } from './conversation/search-lanes.js';
import { wholeAnswer } from './conversation/whole-answer.js';
import { MAX_CHAT_VALUES } from './limits.js';
import type { ChatOptions } from './options.js';
import type { ChatWorkspaces } from './provider/chat-workspaces.js';
import type { Chunk } from './provider/chunk.js';
import type { ConversationTurns } from './provider/conversation-turns.js';
import { EventStream } from './provider/event-stream.js';
import type { ProviderClient } from './provider/provider-client.js';
import { requireChats, workspaceOf } from './workspace-routes.js';

export interface ConversationParts {
  readonly options: ChatOptions;
  readonly host: ExtensionHost;
  readonly workspaces: ChatWorkspaces;
  readonly turns: ConversationTurns;
  readonly provider: ProviderClient;
  readonly conversations: OpenConversations;
  /** Called with the figures of each conversation that ended. */
  readonly onEnd: (record: ChatRecord) => void;
}

/** Conversations. */
export function completionRoute(parts: ConversationParts): ExtensionRoute {
  const { options, host, workspaces, turns, provider, conversations, onEnd } = parts;
  const { instance } = host;
  const lanes = new SearchLanes(instance, host.searchThreadCount);
  const shared = { context: instance, bounds: options.bounds, lanes, hints: new FacetHints() };
  return {
    method: 'POST',
    path: '/chats/:workspace/chat/completions',
    action: 'chatCompletions',
    // hundreds may arrive at the same instant, and the following steps would run for all of them before anything else
    turn: () => turns.next(),
    async answer(request) {
      const body = await request.json(host.bodyBytesMax, MAX_CHAT_VALUES);
      requireChats(instance.features);
      const requested = readCompletionRequest(body);
      const workspace = workspaceOf(request.parameters);
      const settings = workspaces.required(workspace);
      const counter: ConversationCounter = { roundCount: 0, searchCount: 0, usage: null };
      let right: LastingRight | undefined;
      const conversation = conversations.begin(request.untilLeft(), ({ outcome, seconds }) => {
        right?.[Symbol.dispose]();
        const { usage, ...counts } = counter;
        onEnd({
          workspace,
          source: settings.source,
          model: requested.model,
          outcome,
          seconds,
          promptTokens: countOf(usage?.['prompt_tokens']),
          completionTokens: countOf(usage?.['completion_tokens']),
          ...counts,
        });
      });
      right = request.lasting(
        () => {
          requireChats(instance.features);
          return [request.authorize('chatCompletions'), searchAccess(request)];
        },
        (reason) => conversation.end(reason),
      );
      await turns.next();
      const access = searchAccess(request);
      const chunks = converse({
        request: requested,
        settings,
        searches: access === undefined ? undefined : new IndexSearches(shared, access),
        provider,
        maxRounds: options.maxRounds,
        signal: conversation.signal,
        counter,
      });
      const answerChunks = conversation.over(chunks, () => right?.holds() === true);
      return requested.isStreamed ? streamed(request, answerChunks, options.keepAliveMs) : whole(answerChunks, counter);
    },
  };
}

/** The caller's right to search; undefined without it, and then the conversation has no search. */
function searchAccess(request: ExtensionRequest): Access | undefined {
  try {
    return request.authorize('search');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_api_key') return undefined;
    throw error;
  }
}

async function whole(chunks: AsyncGenerator<Chunk>, counter: ConversationCounter): Promise<ExtensionAnswer> {
  const answer = await wholeAnswer(chunks);
  return { status: 200, json: counter.usage === null ? answer : { ...answer, usage: counter.usage } };
}

/** An error before the first chunk has a status, unless keep-alive bytes were sent before. */
async function streamed(
  { onFault }: ExtensionRequest,
  chunks: AsyncGenerator<Chunk>,
  keepAliveMs: number,
): Promise<ExtensionAnswer> {
  const first = chunks.next();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), keepAliveMs);
  });
  const isLate = await Promise.race([first.then(() => false), late]).finally(() => clearTimeout(timer));
  return { status: 200, events: new EventStream(first, chunks, { isLate, keepAliveMs, onFault }) };
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}

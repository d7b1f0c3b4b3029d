import { checkIndexUid, requireFeature } from '@fossick/api';
import { ApiError, apiError, MAX_CHAT_VALUES } from '@fossick/base';
import {
  ChatWorkspaces,
  type Chunk,
  type ConversationCounter,
  converse,
  EventStream,
  FacetHints,
  IndexSearches,
  readCompletionRequest,
  SearchLanes,
  wholeAnswer,
} from '@fossick/search-service/chats';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';
import { LastingRight } from '../../streams/lasting-right.js';

/** Conversations. */
export function registerChatCompletions(router: Router, context: ServerContext): void {
  const workspaces = new ChatWorkspaces(context.values);
  const { maxRounds, documents, textBytes, keepAliveMs } = context.options.chats;
  const bounds = { documents, textBytes };
  const shared = {
    context,
    bounds,
    lanes: new SearchLanes(context, context.options.searchThreadCount),
    hints: new FacetHints(),
  };
  router.on('POST', '/chats/:workspace/chat/completions', async (request, reply) => {
    // hundreds may arrive at the same instant, and the following steps would run for all of them before anything else
    await context.chatTurns.next();
    authorize(context, request, 'chatCompletions');
    const body = await readJson(request, context.options.readLimitBytes, MAX_CHAT_VALUES);
    requireFeature(context.features, 'chatCompletions', '/chats');
    const requested = readCompletionRequest(body);
    const workspace = checkIndexUid(pathOf<'workspace'>(request).workspace);
    const settings = workspaces.get(workspace);
    if (settings === undefined) throw apiError('chat_not_found', workspace);
    const counter: ConversationCounter = { roundCount: 0, searchCount: 0, usage: null };
    let right: LastingRight | undefined;
    const conversation = context.conversations.begin(reply.raw, ({ outcome, seconds }) => {
      right?.[Symbol.dispose]();
      const { usage, ...counts } = counter;
      const [promptTokens, completionTokens] = [
        countOf(usage?.['prompt_tokens']),
        countOf(usage?.['completion_tokens']),
      ];
      const { source } = settings;
      context.metrics.conversation({
        workspace,
        source,
        model: requested.model,
        outcome,
        seconds,
        promptTokens,
        completionTokens,
        ...counts,
      });
    });
    right = new LastingRight(context, {
      authorization: request.headers.authorization,
      check: () => {
        requireFeature(context.features, 'chatCompletions', '/chats');
        return [authorize(context, request, 'chatCompletions'), searchAccess(context, request)];
      },
      onLost: (reason) => conversation.end(reason),
    });
    await context.chatTurns.next();
    const access = searchAccess(context, request);
    const chunks = converse({
      request: requested,
      settings,
      searches: access === undefined ? undefined : new IndexSearches(shared, access),
      provider: context.chatProvider,
      maxRounds,
      signal: conversation.signal,
      counter,
    });
    const answerChunks = conversation.over(chunks, () => right?.holds() === true);
    return requested.isStreamed ? streamed(reply, answerChunks, keepAliveMs) : whole(reply, answerChunks, counter);
  });
}

/** The caller's right to search; undefined without it, and then the conversation has no search. */
function searchAccess(context: ServerContext, request: FastifyRequest): ReturnType<typeof authorize> | undefined {
  try {
    return authorize(context, request, 'search');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_api_key') return undefined;
    throw error;
  }
}

async function whole(
  reply: FastifyReply,
  chunks: AsyncGenerator<Chunk>,
  counter: ConversationCounter,
): Promise<FastifyReply> {
  const answer = await wholeAnswer(chunks);
  return sendJson(reply, counter.usage === null ? answer : { ...answer, usage: counter.usage });
}

/** An error before the first chunk has a status, unless keep-alive bytes were sent before. */
async function streamed(
  reply: FastifyReply,
  chunks: AsyncGenerator<Chunk>,
  keepAliveMs: number,
): Promise<FastifyReply> {
  const first = chunks.next();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), keepAliveMs);
  });
  const isLate = await Promise.race([first.then(() => false), late]).finally(() => clearTimeout(timer));
  return reply
    .header('content-type', 'text/event-stream')
    .header('cache-control', 'no-cache')
    .header('x-accel-buffering', 'no')
    .send(new EventStream(first, chunks, { isLate, keepAliveMs, onFault: (error) => reply.log.error(error) }));
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}

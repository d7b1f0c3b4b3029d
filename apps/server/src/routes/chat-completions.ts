import { Readable } from 'node:stream';
import { ApiError } from '@fossick/base';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChatWorkspaces } from '../chats/chat-workspaces.js';
import type { Chunk } from '../chats/chunk.js';
import { type CompletionRequest, readCompletionRequest } from '../chats/completion-request.js';
import { type ConversationTally, converse } from '../chats/conversation.js';
import { eventStream } from '../chats/event-stream.js';
import { IndexSearches } from '../chats/index-searches.js';
import { OpenConversations } from '../chats/open-conversations.js';
import { wholeAnswer } from '../chats/whole-answer.js';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';
import { requireFeature } from '../search/search-request.js';
import { readNoQuery } from '../wire/fields.js';
import { checkIndexUid } from '../wire/values.js';

/** Conversations (spec 00, chats; spec 04 section 13). */
export function registerChatCompletions(router: Router, context: ServerContext): void {
  const workspaces = new ChatWorkspaces(context.values);
  router.on('POST', '/chats/:workspace/chat/completions', async (request, reply) => {
    authorize(context, request, 'chatCompletions');
    readNoQuery(queryOf(request));
    const body = await readJson(request, context.options.readLimitBytes);
    requireFeature(context.features, 'chatCompletions', '/chats');
    const asked = readCompletionRequest(body);
    const workspace = checkIndexUid(pathOf<'workspace'>(request).workspace);
    const settings = workspaces.get(workspace);
    if (settings === undefined)
      throw new ApiError(
        'chat_not_found',
        `There is no chat workspace \`${workspace}\`: updating its settings makes it.`,
      );
    const tally: ConversationTally = { roundCount: 0, searchCount: 0, usage: null };
    const conversation = context.conversations.begin(reply.raw, ({ outcome, seconds }) => {
      const { usage, ...counts } = tally;
      const [promptTokens, completionTokens] = [
        countOf(usage?.['prompt_tokens']),
        countOf(usage?.['completion_tokens']),
      ];
      const { source } = settings;
      context.metrics.chats.record({ workspace, source, outcome, seconds, promptTokens, completionTokens, ...counts });
    });
    const { maxRounds, documents, textBytes } = context.options.chats;
    const access = searchAccess(context, request);
    const chunks = converse({
      request: asked,
      settings,
      searches: access === undefined ? undefined : new IndexSearches(context, access, { documents, textBytes }),
      provider: context.chatProvider,
      maxRounds,
      signal: conversation.signal,
      tally,
    });
    return answer(reply, asked, conversation.over(chunks), tally);
  });
}

/** The rights of the caller to search; undefined where it has none, and the conversation goes without. */
function searchAccess(context: ServerContext, request: FastifyRequest): ReturnType<typeof authorize> | undefined {
  try {
    return authorize(context, request, 'search');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_api_key') return undefined;
    throw error;
  }
}

async function answer(
  reply: FastifyReply,
  { isStreamed }: CompletionRequest,
  chunks: AsyncGenerator<Chunk>,
  tally: ConversationTally,
): Promise<FastifyReply> {
  if (!isStreamed) {
    const whole = await wholeAnswer(chunks);
    return sendJson(reply, tally.usage === null ? whole : { ...whole, usage: tally.usage });
  }
  // an error before the first piece still has a status
  const first = await chunks.next();
  const all = async function* (): AsyncGenerator<Chunk> {
    try {
      if (first.done !== true) yield first.value;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  };
  const events = eventStream(all(), (error) => reply.log.error(error));
  return reply
    .header('content-type', 'text/event-stream')
    .header('cache-control', 'no-cache')
    .header('x-accel-buffering', 'no')
    .send(Readable.from(events, { objectMode: false, highWaterMark: 1 << 14 }));
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}

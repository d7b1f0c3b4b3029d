import { apiError } from '@fossick/base';
import type { ChatSettings } from '../provider/chat-workspaces.js';
import type { Chunk, Loose } from '../provider/chunk.js';
import { UsageSum } from '../provider/gathered-members.js';
import type { ProviderClient } from '../provider/provider-client.js';
import { ProviderError } from '../provider/provider-error.js';
import { promptRole, providerTarget, sourceBody, takesStrictTools } from '../provider/provider-target.js';
import { AnswerFrame, Round } from '../provider/round.js';
import type { SpecialCall, ToolCall } from '../provider/special-tools.js';
import type { CompletionRequest } from './completion-request.js';
import type { CallOutcome, IndexSearches } from './index-searches.js';
import { searchTool } from './search-tool.js';

/** Searches that one round may request; further ones are answered with an error. */
const MAX_SEARCHES = 16;

/** The figures of a conversation, during it and after. */
export interface ConversationCounter {
  roundCount: number;
  searchCount: number;
  usage: Loose | null;
}
export interface ConversationParts {
  readonly request: CompletionRequest;
  readonly settings: ChatSettings;
  /** Undefined where the caller may not search. */
  readonly searches: IndexSearches | undefined;
  readonly provider: ProviderClient;
  /** Rounds with the provider; in the last one it must answer. */
  readonly maxRounds: number;
  readonly signal: AbortSignal;
  readonly counter: ConversationCounter;
}

/**
 * Calls the provider until the model answers, and runs the searches that it requests. Yields the chunks for the client
 * as they arrive. @throws ProviderError
 */
export async function* converse(parts: ConversationParts): AsyncGenerator<Chunk> {
  const { request, settings, searches, provider, maxRounds, signal, counter } = parts;
  const target = providerTarget(settings);
  const tool = searchTool(settings.prompts, (await searches?.describe()) ?? [], takesStrictTools(settings));
  const frame = new AnswerFrame(request.model);
  const usage = new UsageSum();
  const messages: Loose[] = [...promptOf(settings, request), ...request.messages];
  for (let at = 1; ; at++) {
    counter.roundCount = at;
    const round = new Round(frame, (name) => request.toolNames.has(name));
    const body = sourceBody(
      settings,
      roundBody(request, messages, tool, { isFirst: at === 1, isLast: at === maxRounds }),
    );
    for await (const chunk of provider.complete(target, body, signal)) {
      const passed = round.pass(chunk);
      if (passed !== null) yield passed;
    }
    usage.add(round.usage);
    counter.usage = usage.total;
    const calls = round.internalCalls();
    // with calls of the client's own tools the client continues, and search results only help one that keeps them
    const isRun = calls.length > 0 && round.finish !== 'length' && (!round.callsClient || request.special.appends);
    if (isRun) {
      if (at >= maxRounds) throw new ProviderError(apiError('remote_bad_response', 'searchesWithoutAnswer', at));
      messages.push(callMessage(round, calls));
      for await (const step of runCalls(parts, round, calls)) {
        if (step.kind === 'message') messages.push(step.message);
        else yield frame.special(step.call);
      }
    }
    if (round.callsClient || !isRun) {
      yield frame.chunk({}, [{ index: 0, delta: {}, finish_reason: finishOf(round) }]);
      if (request.includesUsage && counter.usage !== null) yield { ...frame.chunk({}, []), usage: counter.usage };
      return;
    }
  }
}

function finishOf(round: Round): string {
  if (round.callsClient && round.finish !== 'length') return 'tool_calls';
  return round.finish === null || round.finish === 'tool_calls' ? 'stop' : round.finish;
}

/** The prompt of the workspace, at the start of the conversation; a blank one is left out. */
function promptOf(settings: ChatSettings, { model }: CompletionRequest): Loose[] {
  const content = settings.prompts.system;
  return content.trim() === '' ? [] : [{ role: promptRole(settings, model), content }];
}

/** The request of a round: the client's own parameters, and the tools of both sides. */
function roundBody(
  request: CompletionRequest,
  messages: readonly Loose[],
  tool: Loose | undefined,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): Loose {
  const { model, others, isStreamed, includesUsage } = request;
  const tools = [...(tool === undefined ? [] : [tool]), ...request.tools];
  // a choice that forces a call would force one in every round
  const choice = isLast ? 'none' : isFirst ? request.toolChoice : null;
  return {
    ...others,
    model,
    messages: [...messages],
    stream: isStreamed,
    ...(isStreamed && includesUsage ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools, ...(choice === null ? {} : { tool_choice: choice }) }),
  };
}

function callMessage({ content }: Round, calls: readonly ToolCall[]): Loose {
  return { role: 'assistant', content, tool_calls: calls };
}

type Step =
  | { readonly kind: 'special'; readonly call: SpecialCall }
  | { readonly kind: 'message'; readonly message: Loose };

/**
 * Runs the calls of a round one after the other; reports them to the client by its special tools, and to the model by
 * messages.
 */
async function* runCalls(
  { request: { special }, searches, signal, counter }: ConversationParts,
  { content }: Round,
  calls: readonly ToolCall[],
): AsyncGenerator<Step> {
  const announced = function* (call: SpecialCall | null): Generator<Step> {
    if (call !== null) yield { kind: 'special', call };
  };
  for (const call of calls) yield* announced(special.progress(call));
  yield* announced(special.appendCalls(content, calls));
  for (const [at, call] of calls.entries()) {
    signal.throwIfAborted();
    const outcome = at < MAX_SEARCHES ? await searches?.run(call) : TOO_MANY;
    const { text, documents } = outcome ?? NO_SEARCH;
    if (documents !== null) counter.searchCount++;
    yield* announced(special.appendResult(call.id, text));
    if (documents !== null) yield* announced(special.sources(call.id, documents));
    yield { kind: 'message', message: { role: 'tool', tool_call_id: call.id, content: text } };
  }
}

const TOO_MANY: CallOutcome = {
  text: `Error: only ${MAX_SEARCHES} searches can be asked for at once.`,
  documents: null,
};
const NO_SEARCH: CallOutcome = { text: 'Error: there is nothing to search in.', documents: null };

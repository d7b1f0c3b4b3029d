import { isJsonObject } from '@fossick/api';
import { type ApiError, apiError } from '@fossick/base';
import { type Parser, parsers, type Where, wrongValue } from '@fossick/base/contract';
import type { Loose } from '../provider/chunk.js';
import { INTERNAL_TOOLS, isSpecialTool, SpecialTools } from '../provider/special-tools.js';
import { COMPLETION_BODY } from '../requests.js';

/** A request for a completion, with the client's own tools separated from those for this server. */
export interface CompletionRequest {
  readonly model: string;
  /** As sent to the provider: without the calls of special tools in the client's history. */
  readonly messages: readonly Loose[];
  readonly isStreamed: boolean;
  /** The last chunk contains the token usage. */
  readonly includesUsage: boolean;
  /** Tools of the client's own, as it declared them. */
  readonly tools: readonly Loose[];
  readonly toolNames: ReadonlySet<string>;
  readonly toolChoice: unknown;
  readonly special: SpecialTools;
  /** All other members: temperature, seed, future parameters of providers. */
  readonly others: Loose;
}

const tool: Parser<Loose> = (value, where) => {
  const given = parsers.object(value, where);
  const at = { ...where, path: `${where.path}.function` };
  // the provider checks anything but functions
  if (given['type'] !== undefined && given['type'] !== 'function') return given;
  const name = parsers.string(parsers.object(given['function'], at)['name'], { ...at, path: `${at.path}.name` });
  if (INTERNAL_TOOLS.includes(name))
    throw wrongValue({ ...at, path: `${at.path}.name` }, `the tool \`${name}\` is declared by the server itself.`);
  return given;
};

const tools = parsers.listOf(tool);

/**
 * Reads the body of a completion: the number of choices first, then which members are missing, then their values.
 * @throws ApiError bad_request, unimplemented_multi_choice_chat_completions
 */
export function readCompletionRequest(body: unknown): CompletionRequest {
  const at = (name: string): Where => ({ code: 'bad_request', path: `.${name}` });
  const received = parsers.object(body, { code: 'bad_request', path: '' });
  const { model, messages, stream, tools: declaredTools, tool_choice, stream_options, n, ...others } = received;
  if (n !== undefined && n !== null) COMPLETION_BODY.n.parse(n, at('n'));
  if (model === undefined) throw missing('model');
  if (messages === undefined) throw missing('messages');
  const declared = declaredTools === undefined || declaredTools === null ? [] : tools(declaredTools, at('tools'));
  const usage = isJsonObject(stream_options) && stream_options['include_usage'] === true;
  const functions = declared.flatMap(({ function: named }) => (isJsonObject(named) ? [named] : []));
  const own = declared.filter((entry) => !isSpecialTool(nameOf(entry)));
  const choice = isSpecialTool(nameOf(tool_choice)) ? undefined : tool_choice;
  return {
    model: COMPLETION_BODY.model.parse(model, at('model')),
    messages: withoutSpecialCalls(COMPLETION_BODY.messages.parse(messages, at('messages'))),
    isStreamed:
      stream === undefined || stream === null
        ? COMPLETION_BODY.stream.default
        : COMPLETION_BODY.stream.parse(stream, at('stream')),
    includesUsage: usage,
    tools: own,
    toolNames: new Set(own.map(nameOf).filter((name) => name !== undefined)),
    toolChoice: choice ?? null,
    special: new SpecialTools(functions),
    others,
  };
}

/** The function name of a tool, a call or a choice. */
export function nameOf(entry: unknown): string | undefined {
  const named = isJsonObject(entry) ? entry['function'] : undefined;
  const name = isJsonObject(named) ? named['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/**
 * Removes special tools from a client's history: calls that no provider knows, their results, and messages with nothing
 * else. Messages with the result of a call get the role that providers require.
 */
function withoutSpecialCalls(messages: readonly Loose[]): Loose[] {
  const dropped = new Set<unknown>();
  return messages.flatMap((given): Loose[] => {
    const { tool_calls: calls, tool_call_id: answered } = given;
    if (typeof answered === 'string') return dropped.has(answered) ? [] : [{ ...given, role: 'tool' }];
    if (!Array.isArray(calls)) return [given];
    const remaining = (calls as Loose[]).filter((each) => !isSpecialTool(nameOf(each)));
    if (remaining.length === calls.length) return [given];
    for (const each of calls as Loose[]) if (!remaining.includes(each)) dropped.add(each['id']);
    if (remaining.length > 0) return [{ ...given, tool_calls: remaining }];
    const { tool_calls: _none, ...rest } = given;
    return hasContent(rest) ? [rest] : [];
  });
}

function hasContent({ content }: Loose): boolean {
  return Array.isArray(content) ? content.length > 0 : typeof content === 'string' && content !== '';
}

const missing = (name: string): ApiError => apiError('bad_request', 'missingField', name, '');

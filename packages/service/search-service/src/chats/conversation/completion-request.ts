import {
  boolean,
  integer,
  isJsonObject,
  listOf,
  object,
  oneOf,
  type Parser,
  string,
  type Where,
  wrongType,
  wrongValue,
} from '@fossick/api';
import { type ApiError, apiError } from '@fossick/base';
import type { Loose } from '../provider/chunk.js';
import { INTERNAL_TOOLS, isSpecialTool, SpecialTools } from '../provider/special-tools.js';

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

const roleOf = oneOf('system', 'developer', 'user', 'assistant', 'tool', 'function');

const message: Parser<Loose> = (value, where) => {
  const given = object(value, where);
  const at = (name: string): Where => ({ ...where, path: `${where.path}.${name}` });
  if (!Object.hasOwn(given, 'role')) throw missing('role', where);
  roleOf(given['role'], at('role'));
  const { content, tool_calls: calls } = given;
  if (content === undefined && calls === undefined && given['function_call'] === undefined)
    throw missing('content', where);
  if (content !== undefined && content !== null && typeof content !== 'string' && !Array.isArray(content))
    throw wrongType(at('content'), 'a string or an array of parts', content);
  if (calls !== undefined && calls !== null) listOf(object)(calls, at('tool_calls'));
  return given;
};
const tool: Parser<Loose> = (value, where) => {
  const given = object(value, where);
  const at = { ...where, path: `${where.path}.function` };
  // the provider checks anything but functions
  if (given['type'] !== undefined && given['type'] !== 'function') return given;
  const name = string(object(given['function'], at)['name'], { ...at, path: `${at.path}.name` });
  if (INTERNAL_TOOLS.includes(name))
    throw wrongValue({ ...at, path: `${at.path}.name` }, `the tool \`${name}\` is declared by the server itself.`);
  return given;
};

/** Reads the body of a completion. @throws ApiError bad_request, unimplemented_multi_choice_chat_completions */
export function readCompletionRequest(body: unknown): CompletionRequest {
  const at = (name: string): Where => ({ code: 'bad_request', path: `.${name}` });
  const given = object(body, { code: 'bad_request', path: '' });
  const { model, messages, stream, tools, tool_choice, stream_options, n, ...others } = given;
  if (n !== undefined && n !== null && integer(n, at('n')) !== 1)
    throw apiError('unimplemented_multi_choice_chat_completions');
  if (model === undefined) throw missing('model', at(''));
  if (messages === undefined) throw missing('messages', at(''));
  const declared = tools === undefined || tools === null ? [] : listOf(tool)(tools, at('tools'));
  const usage = isJsonObject(stream_options) && stream_options['include_usage'] === true;
  const functions = declared.flatMap(({ function: named }) => (isJsonObject(named) ? [named] : []));
  const own = declared.filter((entry) => !isSpecialTool(nameOf(entry)));
  const choice = isSpecialTool(nameOf(tool_choice)) ? undefined : tool_choice;
  return {
    model: string(model, at('model')),
    messages: withoutSpecialCalls(listOf(message)(messages, at('messages'))),
    isStreamed: stream === undefined || stream === null ? true : boolean(stream, at('stream')),
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

function missing(name: string, { path }: Where): ApiError {
  const within = path === '' || path === '.' ? '' : ` inside \`${path}\``;
  return apiError('bad_request', 'missingField', name, within);
}

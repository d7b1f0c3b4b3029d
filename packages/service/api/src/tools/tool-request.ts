import { apiError } from '@fossick/base';
import { floatText, isJsonObject, JsonText, LosslessFloat, toJsonText } from '@fossick/documents';
import type { Tool } from './tool-table.js';

/** A request to the route of a tool. */
export interface ToolRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** JSON text. */
  readonly body: string | undefined;
}

/** UTF-16 units of one part of a path, escaped: the router refuses longer ones without a body. */
const MAX_PART_UNITS = 10_000;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The request that a call of the tool stands for. The route checks it; here only such arguments are refused that
 * cannot be sent to it. Throws invalid_mcp_argument. O(arguments)
 */
export function toolRequest(tool: Tool, given: unknown): ToolRequest {
  if (given !== undefined && !isJsonObject(given)) throw apiError('invalid_mcp_argument', 'noObject');
  const values = new Map(Object.entries(given ?? {}));
  const path = tool.operation.path.replace(/\{(\w+)\}/g, (_, name: string) => pathPart(name, values.get(name)));
  const query: string[] = [];
  const members: [string, unknown][] = [];
  const hasMembers = tool.operation.body !== undefined && tool.bodyArgument === undefined;
  for (const [name, value] of values) {
    const place = tool.places.get(name) ?? (hasMembers ? 'body' : 'query');
    if (place === 'body') members.push([name, value]);
    else if (place === 'query' && value !== null && value !== undefined)
      query.push(`${escaped(name, name)}=${escaped(name, queryText(name, value))}`);
  }
  return {
    method: tool.operation.method.toUpperCase(),
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    body: bodyText(tool, members),
  };
}

function bodyText({ operation, bodyArgument }: Tool, members: readonly [string, unknown][]): string | undefined {
  if (operation.body === undefined) return undefined;
  if (bodyArgument === undefined) return toJsonText(Object.fromEntries(members));
  const [whole] = members;
  if (whole === undefined) throw apiError('invalid_mcp_argument', 'missing', bodyArgument);
  return toJsonText(whole[1]);
}

/** A part of a path. Two dots, or none, would be another path. */
function pathPart(name: string, value: unknown): string {
  if (value === undefined || value === null) throw apiError('invalid_mcp_argument', 'missing', name);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
    throw apiError('invalid_mcp_argument', 'notText', name);
  const part = escaped(name, String(value));
  if (part === '' || part === '.' || part === '..' || part.length > MAX_PART_UNITS)
    throw apiError('invalid_mcp_argument', 'noName', name);
  return part;
}

/** A list is its items with commas, as in addresses that people write. */
function queryText(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => queryText(name, item)).join(',');
  // a long argument, which no address can have
  if (value instanceof JsonText) throw apiError('invalid_mcp_argument', 'notText', name);
  if (value instanceof LosslessFloat) return floatText(value.valueOf());
  return typeof value === 'object' ? toJsonText(value) : String(value);
}

function escaped(name: string, text: string): string {
  if (LONE_SURROGATE.test(text)) throw apiError('invalid_mcp_argument', 'notText', name);
  return encodeURIComponent(text);
}

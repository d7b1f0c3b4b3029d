import { parseLossless } from '@fossick/api';
import { ApiError, errorToJson } from '@fossick/base';
import { isJsonObject, type JsonObject, JsonText, numberIn } from '@fossick/documents';
import { runInThread } from '@fossick/search-service';
import type { BodyContext } from '../http/bodies/search-body.js';

/** Codes of JSON-RPC, and those that the protocol adds. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** A text or a number, as the client sent it. */
export type RpcId = unknown;
/** A message of a client. Responses of clients answer nothing that this server asks, and are ignored. */
export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response' };
export type RpcRequest = Extract<RpcMessage, { readonly kind: 'request' }>;

/** A request that the protocol refuses, other than a tool that fails. */
export class RpcError extends Error {
  readonly code: number;
  /** HTTP status where the message is not one of a batch. */
  readonly status: number;
  readonly data: unknown;

  constructor(code: number, message: string, { status = 200, data }: { status?: number; data?: unknown } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

/**
 * The message or messages of a body. Numbers keep their text, because documents are among the arguments; a long body is parsed in a search
 * thread, and its long arguments are JsonText. Throws RpcError for what is no JSON, and ApiError. O(bytes)
 */
export async function readBodyValue(context: BodyContext, body: Buffer): Promise<unknown> {
  const job = { kind: 'toolBody', body } as const;
  try {
    if (!context.searchers.takes(job)) return parseLossless(body);
    const { text, longArguments } = (await runInThread(context, job)).value;
    const value = parseLossless(Buffer.from(text));
    const messages = (Array.isArray(value) ? value : [value]) as readonly LongMessage[];
    for (const { position, name, text: argument } of longArguments)
      Object.defineProperty(messages[position]!.params.arguments, name, { value: new JsonText(argument) });
    return value;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'malformed_payload') throw error;
    const data = errorToJson(error.code, error.message);
    throw new RpcError(RPC_CODES.parseError, error.message, { status: 400, data });
  }
}

interface LongMessage {
  readonly params: { readonly arguments: JsonObject };
}

/** Throws RpcError for what is no message of JSON-RPC 2.0. */
export function readMessage(value: unknown): RpcMessage {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0')
    throw invalid('A message is an object with "jsonrpc": "2.0".');
  const { method, id, params = {} } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' };
  if (typeof method !== 'string') throw invalid('The method of a message is a string.');
  if (!isJsonObject(params)) throw invalid('The params of a message are an object.');
  if (id === undefined) return { kind: 'notification', method, params };
  if (typeof id !== 'string' && numberIn(id) === undefined)
    throw invalid('The id of a request is a string or a number.');
  return { kind: 'request', id, method, params };
}

/** The id to answer a value with that may be no message: null when it has none. */
export function idOf(value: unknown): RpcId {
  const id = isJsonObject(value) ? value['id'] : undefined;
  return typeof id === 'string' || numberIn(id) !== undefined ? id : null;
}

export function rpcResult(id: RpcId, result: object): object {
  return { jsonrpc: '2.0', id, result };
}
export function rpcFailure(id: RpcId, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function invalid(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, message, { status: 400 });
}

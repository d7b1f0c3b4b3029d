import type { IncomingHttpHeaders } from 'node:http';
import { requireFeature } from '@fossick/api';
import { apiError, MAX_MCP_BATCH, MAX_MCP_MESSAGE_BYTES } from '@fossick/base';
import { type ServerContext, sendJson } from '../../context.js';
import { readCountedBytes } from '../../http/bodies/body.js';
import { sendEmpty } from '../../http/errors.js';
import type { Router } from '../../http/router.js';
import { answerRequest, type McpClient } from '../../mcp/mcp-methods.js';
import { type Protocol, protocolOf, protocolOfMessage } from '../../mcp/protocol-version.js';
import {
  idOf,
  RPC_CODES,
  RpcError,
  type RpcMessage,
  readBodyValue,
  readMessage,
  rpcFailure,
  rpcResult,
} from '../../mcp/rpc-message.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The Model Context Protocol over streamable HTTP, without sessions: each POST has its answer as JSON, and there is no stream to GET and
 * nothing to DELETE.
 */
export function registerMcp(router: Router, context: ServerContext): void {
  const { options } = context;
  if (!options.hasMcp) return;
  router.on('POST', '/mcp', async (request, reply) => {
    const { headers } = request;
    // where origins are limited, they are for every route
    if (options.httpOrigins === null) requireOrigin(headers.origin, options.mcpOrigins);
    context.guard.authenticate(headers.authorization);
    requireFeature(context.features, 'mcpRoute', '/mcp');
    const bytes = await readCountedBytes(request, Math.min(options.readLimitBytes, MAX_MCP_MESSAGE_BYTES));
    const client = { app: request.server, context, authorization: headers.authorization };
    const { status, json } = await answerBody(client, headers, bytes);
    return json === undefined ? sendEmpty(reply, status) : sendJson(reply, json, status);
  });
}

/** An answer; without JSON when none of the messages was a request. */
interface McpAnswer {
  readonly status: number;
  readonly json?: object;
}

async function answerBody(client: McpClient, headers: IncomingHttpHeaders, bytes: Buffer): Promise<McpAnswer> {
  let value: unknown;
  try {
    value = await readBodyValue(client.context, bytes);
    if (Array.isArray(value)) return await answerBatch(client, protocolOf(headers), value);
    const message = readMessage(value);
    const protocol = protocolOfMessage(headers, message);
    const json = await answerMessage(client, protocol, message);
    return json === undefined ? { status: 202 } : { status: 200, json };
  } catch (error) {
    if (error instanceof RpcError) return { status: error.status, json: rpcFailure(idOf(value), error) };
    throw error;
  }
}

/** One after the other: together they would hold all their answers twice. */
async function answerBatch(client: McpClient, protocol: Protocol, batch: readonly unknown[]): Promise<McpAnswer> {
  if (!protocol.hasBatches) throw refused(`Version ${protocol.version} of the protocol has no batches.`);
  if (batch.length === 0) throw refused('A batch has at least one message.');
  if (batch.length > MAX_MCP_BATCH) throw refused(`A batch has ${MAX_MCP_BATCH} messages at most.`);
  const answers: object[] = [];
  for (const value of batch) {
    try {
      const message = readMessage(value);
      if (message.kind === 'request' && message.method === 'initialize')
        throw refused('`initialize` is not part of a batch.');
      const json = await answerMessage(client, protocol, message);
      if (json !== undefined) answers.push(json);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      answers.push(rpcFailure(idOf(value), error));
    }
  }
  return answers.length === 0 ? { status: 202 } : { status: 200, json: answers };
}

/** Undefined for what is no request. */
async function answerMessage(client: McpClient, protocol: Protocol, message: RpcMessage): Promise<object | undefined> {
  if (message.kind !== 'request') return undefined;
  return rpcResult(message.id, await answerRequest(client, protocol, message));
}

function refused(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, message, { status: 400 });
}

/**
 * Programs send no `Origin`, browsers send that of the page: one of this machine, or of the list, in which `*` is any.
 * A page whose name is changed to an address of this machine (DNS rebinding) still has its own name there. Throws mcp_origin_not_allowed.
 */
function requireOrigin(origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes('*')) return;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url !== undefined && (LOOPBACK.test(url.hostname) || allowed.includes(url.origin))) return;
  throw apiError('mcp_origin_not_allowed', origin.slice(0, 200));
}

import { PRODUCT_VERSION } from '@fossick/api';
import type { Tool } from '@fossick/api/openapi';
import { ApiError } from '@fossick/base';
import type { FastifyInstance } from 'fastify';
import type { ServerContext } from '../context.js';
import { agreedVersion, NAMED_VERSIONS, type Protocol } from './protocol-version.js';
import { RPC_CODES, RpcError, type RpcRequest } from './rpc-message.js';
import { callTool, toolResult } from './tool-calls.js';

const SERVER_INFO = { name: 'fossick', title: 'Fossick', version: PRODUCT_VERSION };
const CAPABILITIES = { tools: {} };
const INSTRUCTIONS =
  'A search engine. listIndexes shows its indexes, listFields and getSettings how their fields can be filtered and sorted by, and search finds documents. ' +
  'Writing tools answer a task, which runs afterwards: getTask shows when it has succeeded or why it failed.';

/** Who sends messages, and to which application. */
export interface McpClient {
  readonly app: FastifyInstance;
  readonly context: Pick<ServerContext, 'guard' | 'searchers' | 'counts' | 'options'>;
  readonly authorization: string | undefined;
}

/** The result of a request. Throws RpcError. */
export async function answerRequest(client: McpClient, protocol: Protocol, request: RpcRequest): Promise<object> {
  const { method, params } = request;
  const complete = (result: object, isCacheable = false): object => {
    if (!protocol.isNamed) return result;
    return {
      ...result,
      resultType: 'complete',
      // rights of keys may change at any time
      ...(isCacheable ? { ttlMs: 0, cacheScope: 'private' } : {}),
      _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
    };
  };
  if (method === 'tools/list') return complete({ tools: await shownTools(client, params['cursor']) }, true);
  if (method === 'tools/call') return complete(await runTool(client, protocol, params));
  if (protocol.isNamed && method === 'server/discover') {
    const shared = { capabilities: CAPABILITIES, instructions: INSTRUCTIONS };
    return complete({ supportedVersions: NAMED_VERSIONS, ...shared }, true);
  }
  if (!protocol.isNamed && method === 'ping') return {};
  if (!protocol.isNamed && method === 'initialize') {
    const protocolVersion = agreedVersion(params['protocolVersion']);
    return { protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER_INFO, instructions: INSTRUCTIONS };
  }
  const status = protocol.isNamed ? 404 : 200;
  throw new RpcError(RPC_CODES.methodNotFound, `There is no method \`${method.slice(0, 100)}\`.`, { status });
}

/** Tools that the key may use, all on one page. */
async function shownTools({ context, authorization }: McpClient, cursor: unknown): Promise<object[]> {
  if (cursor !== undefined) throw new RpcError(RPC_CODES.invalidParams, 'There is no further page.');
  const { toolTable } = await import('@fossick/api/openapi');
  const isAllowed = new Map<string, boolean>();
  const mayUse = ({ action }: Tool): boolean => {
    if (!isAllowed.has(action)) isAllowed.set(action, allows(context, authorization, action));
    return isAllowed.get(action)!;
  };
  return [...toolTable().values()].filter(mayUse).map(({ shown }) => shown);
}

function allows({ guard }: McpClient['context'], authorization: string | undefined, action: string): boolean {
  try {
    guard.authorize(authorization, action);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

async function runTool(
  { app, authorization }: McpClient,
  { isStructured }: Protocol,
  { name, arguments: given }: RpcRequest['params'],
): Promise<object> {
  if (typeof name !== 'string') throw new RpcError(RPC_CODES.invalidParams, 'The name of a tool is a string.');
  const { toolTable, toolRequest } = await import('@fossick/api/openapi');
  const tool = toolTable().get(name);
  if (tool === undefined) throw new RpcError(RPC_CODES.invalidParams, `There is no tool \`${name.slice(0, 100)}\`.`);
  return toolResult(await callTool(app, toolRequest, { tool, given, authorization }), isStructured);
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { PRODUCT_VERSION } from '@fossick/api';
import type { Tool } from '@fossick/api/openapi';
import { ApiError, apiError, errorToJson, MAX_MCP_ANSWER_BYTES } from '@fossick/base';
import { JsonText } from '@fossick/documents';
import type { FastifyInstance } from 'fastify';
import type { ServerContext } from '../context.js';
import { errorAnswer } from '../http/errors.js';
import { agreedVersion, NAMED_VERSIONS, type Protocol } from './protocol-version.js';
import { RPC_CODES, RpcError, type RpcRequest } from './rpc-message.js';

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

/** What a tool gave: the JSON text of its answer, or of its error. */
interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
}

type ToRequest = typeof import('@fossick/api/openapi').toolRequest;

/**
 * Sends the request of a tool to its route within the process: the same checks of rights, the same answer, the same errors. Answers above
 * MAX_MCP_ANSWER_BYTES become the error mcp_answer_too_large.
 */
async function callTool(
  app: FastifyInstance,
  toRequest: ToRequest,
  { tool, given, authorization }: { tool: Tool; given: unknown; authorization: string | undefined },
): Promise<ToolOutcome> {
  try {
    // the arguments may be megabytes: others are answered between reading, writing and sending them
    await nextTurn();
    const { method, target, body } = toRequest(tool, given);
    await nextTurn();
    // loaded with the first call
    const { inject } = await import('light-my-request');
    const answer = await inject((request, response) => app.routing(request, response), {
      method: method as 'GET',
      url: target,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: body }),
      payloadAsStream: true,
    });
    const isTooLong = Number(answer.headers['content-length'] ?? 0) > MAX_MCP_ANSWER_BYTES;
    const bytes = isTooLong ? undefined : await upTo(MAX_MCP_ANSWER_BYTES, answer.stream());
    if (bytes === undefined) {
      // its memory is free at once
      answer.raw.res.destroy();
      throw apiError('mcp_answer_too_large', MAX_MCP_ANSWER_BYTES);
    }
    return { text: bytes.toString(), isError: answer.statusCode >= 400 };
  } catch (error) {
    const { code, json, isFault } = errorAnswer(error);
    if (isFault) app.log.error(error);
    return { text: JSON.stringify(code === 'internal' ? errorToJson(code, 'Internal error.') : json), isError: true };
  }
}

/** The result of `tools/call`. */
function toolResult({ text, isError }: ToolOutcome, isStructured: boolean): object {
  return {
    content: [{ type: 'text', text }],
    // the bytes of the route as they are: numbers keep their digits
    ...(isStructured && text.startsWith('{') ? { structuredContent: new JsonText(text) } : {}),
    isError,
  };
}

/** All bytes of the stream; undefined when there are more than this many. */
async function upTo(maxBytes: number, stream: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of stream) {
    byteCount += chunk.length;
    if (byteCount > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tool } from '@fossick/api/openapi';
import { apiError, errorToJson, MAX_MCP_ANSWER_BYTES } from '@fossick/base';
import { JsonText } from '@fossick/documents';
import type { FastifyInstance } from 'fastify';
import { errorAnswer } from '../http/errors.js';

/** What a tool gave: the JSON text of its answer, or of its error. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
}
type ToRequest = typeof import('@fossick/api/openapi').toolRequest;

/**
 * Sends the request of a tool to its route within the process: the same checks of rights, the same answer, the same errors. Answers above
 * MAX_MCP_ANSWER_BYTES become the error mcp_answer_too_large.
 */
export async function callTool(
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
export function toolResult({ text, isError }: ToolOutcome, isStructured: boolean): object {
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

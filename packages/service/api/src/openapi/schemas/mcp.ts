import { z } from 'zod';
import { errorSchema } from './answers.js';
import { ANY_KEY, anyObject, exampleText, type Operation, text } from './operation.js';

const version = z.literal('2.0');
const id = z.union([z.string(), z.int()]);
const message = z
  .looseObject({
    jsonrpc: version,
    id: id.optional(),
    method: exampleText('Method of the protocol.', 'tools/list', 'tools/call', 'ping', 'notifications/initialized'),
    params: anyObject('As the method wants them.').optional(),
  })
  .meta({ id: 'McpMessage', description: 'A message of JSON-RPC 2.0: a request, or without `id` a notification.' });
const body = z
  .union([message, z.array(message).max(20)])
  .meta({ description: 'A message, or in version 2025-03-26 of the protocol up to 20.' });

const failure = z
  .strictObject({
    jsonrpc: version,
    id: id.nullable(),
    error: z.strictObject({ code: z.int(), message: text('What was wrong.'), data: z.unknown().optional() }),
  })
  .meta({ id: 'McpError', description: 'An error of JSON-RPC 2.0.' });
const success = z.strictObject({ jsonrpc: version, id, result: z.looseObject({}) });
const answer = z.union([success, failure]);
const TOOL = { name: 'search', description: 'Search in an index.', inputSchema: { type: 'object' } };

export const MCP_OPERATION: Operation = {
  id: 'sendMcpMessage',
  method: 'post',
  path: '/mcp',
  tag: 'Conversations',
  summary: 'A message of the Model Context Protocol, by which language models use this API as tools',
  action: ANY_KEY,
  body: { schema: body, example: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  answers: [
    {
      status: 200,
      says: 'The answer to a request; a tool that fails answers here too, with `isError`.',
      schema: z.union([answer, z.array(answer)]),
      example: { jsonrpc: '2.0', id: 1, result: { tools: [TOOL] } },
    },
    { status: 202, says: 'Notifications have no answer.' },
    {
      status: 400,
      says: 'No message, or one that its version does not have.',
      schema: z.union([failure, errorSchema]),
    },
    { status: 404, says: 'A method that a version without `initialize` does not have.', schema: failure },
  ],
  errors: ['mcp_origin_not_allowed'],
};

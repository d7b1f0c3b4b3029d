import { createHmac } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

export const MASTER_KEY = 'a master key for tools of models';
export const LATEST = '2025-11-25';

const KEYED: readonly string[] = ['--master-key', MASTER_KEY];

/** A server without indexes, and what ends it. */
export async function startEmpty(options = KEYED, start: typeof startTestServer = startTestServer) {
  const folder = newDatabaseFolder();
  const server = await start(folder, options);
  const end = async (): Promise<void> => {
    await server.stop();
    removeFolder(folder);
  };
  return { server, end };
}

/** The same with the indexes films and books. */
export async function startLibrary(options = KEYED, start: typeof startTestServer = startTestServer) {
  const { server, end } = await startEmpty(options, start);
  const headers: Record<string, string> = options.includes('--master-key')
    ? { authorization: `Bearer ${MASTER_KEY}` }
    : {};
  const films = [
    { id: 1, title: 'Star Wars', genre: 'space', year: 1977 },
    { id: 2, title: 'Star Trek', genre: 'space', year: 1979 },
    { id: 3, title: 'Starship of Fools', genre: 'drama', year: 1965 },
  ];
  await server.call('POST', '/indexes/films/documents', films, headers);
  await server.call('PATCH', '/indexes/films/settings', { filterableAttributes: ['genre', 'year'] }, headers);
  await server.call('POST', '/indexes/books/documents', [{ id: 7, title: 'Stardust' }], headers);
  await server.allTasksDone();
  return { server, end };
}

/** A client of the public SDK that has connected; without a key when none is given. */
export async function connect(server: TestServer, key: string | null): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = key === null ? {} : { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }) as never);
  return client;
}

export interface Outcome {
  readonly isError: boolean;
  readonly text: string;
  readonly json: Record<string, unknown>;
  readonly structured: unknown;
}
/** What a tool answers to the client of the SDK. */
export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<Outcome> {
  const result = await client.callTool({ name, arguments: args });
  const [{ text }] = result.content as [{ readonly text: string }];
  const json = JSON.parse(text) as Record<string, unknown>;
  return { isError: result.isError === true, text, json, structured: result.structuredContent };
}

/** An answer of the protocol, or an error of the API. */
interface RpcAnswer {
  readonly code: string;
  readonly id: unknown;
  readonly error: { readonly code: number; readonly data: Record<string, unknown> };
  readonly result: {
    readonly tools: readonly unknown[];
    readonly content: readonly [{ readonly text: string }];
    readonly isError: boolean;
    readonly protocolVersion: string;
    readonly structuredContent?: { readonly hits: readonly { readonly title: string }[] };
  };
  readonly 0: RpcAnswer;
}
/** Sends a body as it is. */
export async function post(
  server: TestServer,
  body: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<{ readonly status: number; readonly text: string; readonly json: RpcAnswer; readonly headers: Headers }> {
  const given: Record<string, string | undefined> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${MASTER_KEY}`,
    ...headers,
  };
  const sent = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: Object.fromEntries(sent),
    body: (isRaw ? body : JSON.stringify(body)) as string,
  });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    json: (text === '' ? undefined : JSON.parse(text)) as RpcAnswer,
    headers: answer.headers,
  };
}
export const request = (method: string, params: object = {}, id: unknown = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

export async function newKey(
  server: TestServer,
  actions: readonly string[],
  indexes: readonly string[],
): Promise<{ readonly uid: string; readonly key: string }> {
  const headers = { authorization: `Bearer ${MASTER_KEY}` };
  const made = await server.call<{ uid: string; key: string }>(
    'POST',
    '/keys',
    { actions, indexes, expiresAt: null },
    headers,
  );
  return made.body;
}
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
export function tenantToken(key: { readonly uid: string; readonly key: string }, claims: object): string {
  const text = `${base64({ typ: 'JWT', alg: 'HS256' })}.${base64({ apiKeyUid: key.uid, ...claims })}`;
  return `${text}.${createHmac('sha256', key.key).update(text).digest('base64url')}`;
}

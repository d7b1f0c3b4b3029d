/** Errors that say what to do: the option of a limit, the right content type, the form of a header, a JSON body everywhere. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const KEY = 'a key of more than sixteen bytes';
const folder = newDatabaseFolder();
const limits = ['--http-payload-size-limit', '4 KiB', '--http-read-payload-size-limit', '2 KiB'];
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(folder, ['--master-key', KEY, ...limits]);
});
afterAll(async () => {
  await server?.stop();
  removeFolder(folder);
});

interface ErrorBody {
  readonly code: string;
  readonly message: string;
}
interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly error: ErrorBody;
}
async function send(method: string, path: string, body?: BodyInit, headers: HeadersInit = {}): Promise<Answer> {
  const given = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers };
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: given,
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    error: method === 'HEAD' ? { code: '', message: '' } : ((await answer.json()) as ErrorBody),
  };
}

const [LONG, LONGER] = ['x'.repeat(3_000), 'x'.repeat(5_000)];
test.each([
  ['POST', '/indexes/boats/documents', `[{"id":1,"name":"${LONGER}"}]`, {}, '--http-payload-size-limit'],
  [
    'PUT',
    '/indexes/boats/documents',
    `{"id":1,"name":"${LONGER}"}`,
    { 'content-type': 'application/x-ndjson' },
    '--http-payload-size-limit',
  ],
  ['PATCH', '/indexes/boats/settings', `{"synonyms":{"a":["${LONGER}"]}}`, {}, '--http-payload-size-limit'],
  [
    'POST',
    '/indexes/boats/documents',
    gzipSync(`[{"id":1,"name":"${LONGER}"}]`),
    { 'content-encoding': 'gzip' },
    '--http-payload-size-limit',
  ],
  ['POST', '/indexes/boats/search', `{"q":"${LONG}"}`, {}, '--http-read-payload-size-limit'],
  ['POST', '/multi-search', `{"queries":[{"indexUid":"boats","q":"${LONG}"}]}`, {}, '--http-read-payload-size-limit'],
  ['POST', '/keys', `{"name":"${LONG}"}`, {}, '--http-read-payload-size-limit'],
])('413 of %s %s names its option', async (method, path, body, headers, option) => {
  const { status, error } = await send(method, path, body, headers as HeadersInit);
  expect([status, error.code]).toEqual([413, 'payload_too_large']);
  expect(error.message).toContain(`\`${option}\``);
});

test.each([
  ['objects, one a line', '{"id":1}\n{"id":2}\n', 'application/json', 'application/x-ndjson'],
  ['with Windows ends of lines', '{"id":1}\r\n{"id":2}', 'application/json', 'application/x-ndjson'],
  ['with blank lines', '{"id":1}\n\n\n{"id":2}', 'application/json; charset=utf-8', 'application/x-ndjson'],
  ['on one line', '{"id":1} {"id":2}', 'application/json', 'application/x-ndjson'],
  ['an array, sent as lines', '[{"id":1},{"id":2}]', 'application/x-ndjson', 'application/json'],
])('%s: the error names the content type', async (_, body, sent, right) => {
  for (const [method, query] of [
    ['POST', ''],
    ['PUT', '?primaryKey=id'],
    ...(sent.startsWith('application/json') ? [['POST', '?onDocumentError=skip']] : []),
  ]) {
    const { status, error } = await send(method!, `/indexes/boats/documents${query}`, body, { 'content-type': sent });
    expect([status, error.code]).toEqual([400, 'malformed_payload']);
    expect(error.message).toContain(`\`${right}\``);
  }
});

test.each([
  ['the key alone', KEY, 'no `Bearer `'],
  ['another scheme', `Basic ${btoa(`me:${KEY}`)}`, 'no `Bearer `'],
  ['a name of its own', `Token ${KEY}`, 'no `Bearer `'],
  ['no space', `Bearer:${KEY}`, 'no `Bearer `'],
  ['nothing', '', 'the request has none'],
])('an Authorization header with %s says what is missing', async (_, authorization, told) => {
  const { status, error } = await send('GET', '/indexes', undefined, { authorization });
  expect([status, error.code]).toEqual([401, 'missing_authorization_header']);
  expect(error.message).toContain(told);
  expect(error.message).not.toContain(KEY);
});

test.each(['bearer', 'BEARER', 'Bearer'])('the scheme may be written `%s`', async (scheme) => {
  const answer = await fetch(`${server.url}/indexes`, { headers: { authorization: `${scheme} ${KEY}` } });
  expect(answer.status).toBe(200);
});

test.each([
  ['GET', '/nowhere', 404, 'route_not_found', '`/nowhere`'],
  ['POST', '/indexes/boats/serach', 404, 'route_not_found', '`/indexes/boats/serach`'],
  ['DELETE', '/v1/indexes', 404, 'route_not_found', '`/v1/indexes`'],
  ['GET', '/indexes/boats/none?apiKey=secret', 404, 'route_not_found', '`/indexes/boats/none`'],
  ['GET', '/dashboard/none.js', 404, 'route_not_found', '`/dashboard/none.js`'],
  ['GET', `/indexes/${'a'.repeat(3_000)}/none`, 404, 'route_not_found', '`/indexes/aaa'],
  ['GET', '/%ff/%00', 404, 'route_not_found', 'no route'],
  ['PUT', '/indexes', 405, 'method_not_allowed', '`GET`, `POST`'],
  ['DELETE', '/health', 405, 'method_not_allowed', '`GET`'],
  ['GET', '/multi-search', 405, 'method_not_allowed', '`POST`'],
] as const)('%s %s is answered in JSON', async (method, path, status, code, told) => {
  const answer = await send(method, path);
  expect([answer.status, answer.error.code]).toEqual([status, code]);
  expect(answer.type).toMatch(/^application\/json/);
  expect(answer.error.message).toContain(told);
  expect(answer.error.message).not.toContain('secret');
});

test('HEAD of an unknown path has no body', async () => {
  expect((await send('HEAD', '/nowhere')).status).toBe(404);
});

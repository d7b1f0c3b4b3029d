/** Bodies of writes that are long, or have many values: they are parsed and checked in a search thread, not in the one of requests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, test, vi } from 'vitest';
import type { TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-long-writes-'));
  server = await startTestServer(folder);
  await server.call('PATCH', '/experimental-features', { editDocumentsByFunction: true });
  await server.call('PUT', '/indexes/a/settings/filterable-attributes', ['n']);
  await server.call(
    'POST',
    '/indexes/a/documents',
    Array.from({ length: 10 }, (_, n) => ({ id: n, n })),
  );
  await server.allTasksDone();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const MIB = 2 ** 20;
const JSON_TYPE = { 'content-type': 'application/json' };
const [EDIT, DELETE] = ['/indexes/a/documents/edit', '/indexes/a/documents/delete'];
const list = (count: number, from = 100): string => Array.from({ length: count }, (_, at) => at + from).join(',');
const edit = (context: string, more = ''): string => `{"function":"doc.m = 1","context":${context}${more}}`;

/** Sends a body, and tells the longest text that this thread parsed meanwhile. */
async function send(path: string, body: string | Buffer, headers = {}) {
  const parse = vi.spyOn(JSON, 'parse');
  const answer = await server.call<{ code?: string; message?: string }>('POST', path, body, {
    ...JSON_TYPE,
    ...headers,
  });
  const longest = Math.max(0, ...parse.mock.calls.map(([text]) => String(text).length));
  parse.mockRestore();
  return { status: answer.status, code: answer.body.code, longest };
}

test.each<[string, string, () => string, string]>([
  ['a context of 80 MB', EDIT, () => edit(`{"a":"${'x'.repeat(80e6)}"}`), 'invalid_document_edition_context'],
  ['a context of 900,000 numbers', EDIT, () => edit(`{"a":[${list(900_000)}]}`), 'invalid_document_edition_context'],
  [
    'a context of 30,000 members with 200 letters',
    EDIT,
    () => edit(`{${Array.from({ length: 30_000 }, (_, at) => `"k${at}":"${'y'.repeat(200)}"`).join(',')}}`),
    'invalid_document_edition_context',
  ],
  [
    'a context of two bytes a letter',
    EDIT,
    () => edit(`{"a":"${'é'.repeat(3e6)}"}`),
    'invalid_document_edition_context',
  ],
  ['a context that is a list', EDIT, () => edit(`[${list(100_000)}]`), 'invalid_document_edition_context'],
  ['a context that is cut', EDIT, () => edit(`{"a":"${'x'.repeat(9e6)}"`).slice(0, -1), 'malformed_payload'],
  ['an unknown member', EDIT, () => edit('{}', `,"other":"${'x'.repeat(1e6)}"`), 'bad_request'],
  [
    'a filter with a wrong end',
    EDIT,
    () => edit('{}', `,"filter":"n IN [${list(200_000)}"`),
    'invalid_document_filter',
  ],
  [
    'a filter of an operator that is off',
    EDIT,
    () => edit('{}', `,"filter":"n IN [${list(200_000)}] OR n CONTAINS 1"`),
    'feature_not_enabled',
  ],
  [
    'a filter of too many conditions',
    DELETE,
    () => `{"filter":[${'"n = 1",'.repeat(60_000)}"n = 2"]}`,
    'invalid_document_filter',
  ],
  ['empty conditions', DELETE, () => `{"filter":[${'"",'.repeat(300_000)}""]}`, 'invalid_document_filter'],
  ['a filter that is empty', DELETE, () => `{"filter":"${' '.repeat(400_000)}"}`, 'invalid_document_filter'],
  [
    'an operator that is off',
    DELETE,
    () => `{"filter":"n IN [${list(200_000)}] AND n CONTAINS 1"}`,
    'feature_not_enabled',
  ],
  ['no filter', DELETE, () => `{"other":"${'x'.repeat(400_000)}"}`, 'bad_request'],
])('%s is refused without being parsed here', async (_name, path, body, code) => {
  const answer = await send(path, body());
  expect(answer).toMatchObject({ status: 400, code });
  expect(answer.longest).toBeLessThan(100_000);
});

test.each<[string, string, string]>([
  ['33 million empty conditions', DELETE, `{"filter":[${'"",'.repeat(33e6)}""]}`],
  ['a list of two million', DELETE, `{"filter":[${list(2e6)}]}`],
  ['two million numbers of a context', EDIT, edit(`{"a":[${list(2e6)}]}`)],
  [
    'texts with quotes and commas, and then two million',
    EDIT,
    edit(`{"a":["${'\\",'.repeat(1e6)}"${',1'.repeat(2e6)}]}`),
  ],
])('%s, compressed, are refused while they come', async (_name, path, body) => {
  const answer = await send(path, gzipSync(body, { level: 1 }), { 'content-encoding': 'gzip' });
  expect(answer).toMatchObject({ status: 413, code: 'payload_too_large' });
  expect(answer.longest).toBeLessThan(100_000);
});

test.each<[string, string, () => string, number]>([
  ['a list of 100,000 values', DELETE, () => `{"filter":"n IN [1,${list(100_000)}]"}`, MIB],
  ['such a list in an array', DELETE, () => `{"filter":["n IN [2,${list(100_000)}]"]}`, MIB],
  ['such a list of an edit', EDIT, () => edit('{}', `,"filter":"n IN [3,${list(100_000)}]"`), MIB],
  ['an edit with 80 MB of white space', EDIT, () => edit(`{}${' '.repeat(80e6)}`), 100_000],
  ['an edit with 24 MB of escapes', EDIT, () => edit(`{"a":"${'\\u0061'.repeat(4e6)}"}`), 5 * MIB],
])('%s is taken, parsed once here as what it says', async (_name, path, body, bytes) => {
  const answer = await send(path, body());
  expect(answer.status).toBe(202);
  expect(answer.longest).toBeLessThan(bytes);
});

it('long filters select what short ones do', async () => {
  await server.allTasksDone();
  const { body } = await server.call<{ results: { id: number; m?: number }[] }>('GET', '/indexes/a/documents?limit=20');
  expect(body.results.map(({ id }) => id)).toEqual([0, 3, 4, 5, 6, 7, 8, 9]);
  expect(body.results.every(({ m }) => m === 1)).toBe(true);
});

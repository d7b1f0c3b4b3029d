import { readdirSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WireAnswer,
  type WireError,
  type WirePage,
  type WireTask,
} from './server-process.test-support.js';

const PATH = '/indexes/books/documents';
const JSON_TYPE = { 'content-type': 'application/json' };
const NDJSON_TYPE = { 'content-type': 'application/x-ndjson' };
const CSV_TYPE = { 'content-type': 'text/csv' };
const SMALL_LIMIT_BYTES = 2000;
const MEGABYTE = 1_000_000;
const BOOKS = [
  { id: 1, title: 'Momo', year: 1973 },
  { id: 2, title: 'Krabat', year: 1971 },
];

/** What has to be the same before and after a request that was refused. */
interface State {
  readonly tasksTotal: number;
  readonly documents: readonly unknown[];
  readonly hits: readonly unknown[];
  readonly indexes: readonly unknown[];
  readonly payloadFiles: readonly string[];
}

/** How long a file may stay that is no longer needed. */
const GONE_SOON = { timeout: 120_000, interval: 20 };

describe('a broken payload', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServerProcess(folder);
    await server.call('POST', `${PATH}?primaryKey=id`, BOOKS);
    expect((await server.allTasksDone()).map((task) => task.status)).toEqual(['succeeded']);
  });
  afterAll(async () => {
    await server.kill();
    removeFolder(folder);
  });

  describe('refused at once', () => {
    let before: State;
    beforeEach(async () => {
      before = await stateOf(server, folder);
    });
    afterEach(async () => {
      // The file of a refused body goes a moment after the answer.
      await expect.poll(() => stateOf(server, folder), GONE_SOON).toEqual(before);
    });

    const manyLines = Array.from({ length: 500 }, (_, i) => `{"id":${i + 10},"title":"t${i}"}`);
    const withLine = (position: number, line: string) => manyLines.with(position, line).join('\n');
    it.each<[string, Record<string, string>, string, string]>([
      ['JSON cut off', JSON_TYPE, '[{"id":3},{"id":4', 'malformed_payload'],
      ['JSON of one brace', JSON_TYPE, '{', 'malformed_payload'],
      ['JSON with text after its end', JSON_TYPE, '[{"id":3}] x', 'malformed_payload'],
      ['JSON with a bad item after good ones', JSON_TYPE, '[{"id":3},{"id":4},{"id":}]', 'malformed_payload'],
      ['a JSON array with an item that is no object', JSON_TYPE, '[{"id":3},7]', 'malformed_payload'],
      ['a JSON number', JSON_TYPE, '42', 'malformed_payload'],
      ['JSON null', JSON_TYPE, 'null', 'malformed_payload'],
      ['an empty JSON body', JSON_TYPE, '', 'missing_payload'],
      ['a bad NDJSON line in the middle', NDJSON_TYPE, withLine(250, '{"id":3,"title":}'), 'malformed_payload'],
      ['an unclosed NDJSON line in the middle', NDJSON_TYPE, withLine(250, '{"id":3'), 'malformed_payload'],
      ['an NDJSON line that is a number', NDJSON_TYPE, withLine(250, '5'), 'malformed_payload'],
      ['an unclosed last NDJSON line', NDJSON_TYPE, withLine(499, '{"id":3,"title":"x"'), 'malformed_payload'],
      ['an empty NDJSON body', NDJSON_TYPE, '', 'missing_payload'],
      ['a CSV row with too many cells', CSV_TYPE, 'id,title\n3,a\n4,b,c\n', 'malformed_payload'],
      ['a CSV cell that is no number', CSV_TYPE, 'id:number,title\n3,a\nx,b\n', 'malformed_payload'],
      ['a CSV cell that is no boolean', CSV_TYPE, 'id,done:boolean\n3,yes\n', 'malformed_payload'],
      ['an unclosed CSV quote', CSV_TYPE, 'id,title\n3,"a\n', 'malformed_payload'],
      ['an empty CSV body', CSV_TYPE, '', 'missing_payload'],
    ])('%s', async (_name, headers, payload, code) => {
      for (const method of ['POST', 'PUT']) expectError(await server.call(method, PATH, payload, headers), 400, code);
    });

    it('bytes that are not UTF-8', async () => {
      const bytes = Buffer.concat([Buffer.from('[{"id":3,"title":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}]')]);
      expectError(await server.call('POST', PATH, bytes, JSON_TYPE), 400, 'malformed_payload');
    });

    it.each(['text/plain', 'application/xml', 'application/jsonx'])('the content type %s', async (type) => {
      const answer = await server.call<WireError>('POST', PATH, '[{"id":3}]', { 'content-type': type });
      expectError(answer, 415, 'invalid_content_type');
    });

    it('no content type', async () => {
      const answer = await server.call<WireError>('POST', PATH, Buffer.from('[{"id":3}]'));
      expectError(answer, 415, 'missing_content_type');
    });

    it('a missing content type before a bad payload, a bad parameter before both', async () => {
      expectError(await server.call('POST', PATH, Buffer.from('{')), 415, 'missing_content_type');
      const answer = await server.call<WireError>('POST', `${PATH}?primarykey=id`, Buffer.from('{'));
      expectError(answer, 400, 'bad_request');
    });

    it.each(['gzip', 'deflate', 'br'])('a body that is not %s', async (encoding) => {
      const headers = { ...JSON_TYPE, 'content-encoding': encoding };
      expectError(await server.call('POST', PATH, '[{"id":3}]', headers), 400, 'bad_request');
    });

    it('CSV that is not gzip', async () => {
      const headers = { ...CSV_TYPE, 'content-encoding': 'gzip' };
      expectError(await server.call('POST', PATH, 'id,title\n3,a\n', headers), 400, 'bad_request');
    });

    it('gzip cut off', async () => {
      const whole = gzipSync(manyLines.join('\n'));
      const headers = { ...NDJSON_TYPE, 'content-encoding': 'gzip' };
      expectError(await server.call('POST', PATH, whole.subarray(0, whole.length >> 1), headers), 400, 'bad_request');
    });

    it('gzip with a damaged middle', async () => {
      const bytes = gzipSync(manyLines.join('\n'));
      const middle = bytes.length >> 1;
      bytes.fill(0, middle, middle + 40);
      const headers = { ...NDJSON_TYPE, 'content-encoding': 'gzip' };
      const answer = await server.call<WireError>('POST', PATH, bytes, headers);
      expect(answer.status).toBe(400);
      expect(['bad_request', 'malformed_payload']).toContain(answer.body.code);
    });

    it('a connection closed in the middle of the body', async () => {
      (await beginBody(server, 1)).destroy();
      const connection = await beginBody(server, 2_000);
      // its lines have arrived
      await expect.poll(async () => (await stateOf(server, folder)).payloadFiles, GONE_SOON).toHaveLength(1);
      connection.destroy();
      await expect.poll(() => stateOf(server, folder), GONE_SOON).toEqual(before);
      expect((await server.call<unknown>('GET', '/health')).status).toBe(200);
    });

    it('a 300 MB body against the default limit', async () => {
      expectError(await streamLines(server, 300 * MEGABYTE), 413, 'payload_too_large');
    });

    it('a small gzip that unpacks to more than the limit', async () => {
      const line = Buffer.from(`{"id":3,"title":"${'x'.repeat(MEGABYTE)}"}\n`);
      const bomb = gzipSync(Buffer.concat(Array.from({ length: 101 }, () => line)), { level: 1 });
      const headers = { ...NDJSON_TYPE, 'content-encoding': 'gzip' };
      expectError(await server.call('POST', PATH, bomb, headers), 413, 'payload_too_large');
    });
  });

  describe('refused by its task', () => {
    it.each<[string, string, unknown, string]>([
      ['no field that could be a primary key', 'keyless', [{ title: 'a' }], 'index_primary_key_no_candidate_found'],
      [
        'two fields that could be one',
        'twokeys',
        [{ id: 1, bookId: 2 }],
        'index_primary_key_multiple_candidates_found',
      ],
      ['a document without its primary key', 'books', [{ id: 3, title: 'a' }, { title: 'b' }], 'missing_document_id'],
      ['a document with a bad id', 'books', [{ id: 3, title: 'a' }, { id: 'a b' }], 'invalid_document_id'],
    ])('%s', async (_name, index, payload, code) => {
      const before = await stateOf(server, folder);
      const path = `/indexes/${index}/documents`;
      const answer = await server.call<{ taskUid: number }>('POST', path, payload);
      expect(answer.status).toBe(202);
      await server.allTasksDone();
      const task = (await server.call<WireTask>('GET', `/tasks/${answer.body.taskUid}`)).body;
      expect(task).toMatchObject({ status: 'failed', error: { code, type: 'invalid_request' } });
      expect(task.details).toEqual({ receivedDocuments: (payload as unknown[]).length, indexedDocuments: 0 });
      const after = await stateOf(server, folder);
      expect([after.documents, after.hits]).toEqual([before.documents, before.hits]);
      // The payload's file goes after the task's mark, so that a crash in between loses nothing.
      await expect.poll(async () => (await stateOf(server, folder)).payloadFiles, GONE_SOON).toEqual([]);
    });
  });
});

describe('a body limit of 2 000 bytes', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServerProcess(folder, ['--http-payload-size-limit', String(SMALL_LIMIT_BYTES)]);
  });
  afterAll(async () => {
    await server.kill();
    removeFolder(folder);
  });

  it('takes a body of exactly the limit and refuses one byte more', async () => {
    const start = '[{"id":1,"title":"';
    const body = (bytes: number) => `${start}${'x'.repeat(bytes - start.length - 3)}"}]`;
    expectError(await server.call('POST', PATH, body(SMALL_LIMIT_BYTES + 1), JSON_TYPE), 413, 'payload_too_large');
    expect((await server.call<WirePage<WireTask>>('GET', '/tasks')).body.total).toBe(0);
    expect((await server.call<unknown>('POST', PATH, body(SMALL_LIMIT_BYTES), JSON_TYPE)).status).toBe(202);
    expect((await server.allTasksDone()).map((task) => task.status)).toEqual(['succeeded']);
  });

  it('counts unpacked bytes, and holds for every JSON route', async () => {
    const q = 'x'.repeat(SMALL_LIMIT_BYTES);
    const packed = gzipSync(`[{"id":1,"title":"${q}"}]`);
    expect(packed.length).toBeLessThan(SMALL_LIMIT_BYTES);
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    expectError(await server.call('POST', PATH, packed, headers), 413, 'payload_too_large');
    expectError(await server.call('POST', '/indexes/books/search', { q }), 413, 'payload_too_large');
  });
});

function expectError(answer: WireAnswer<WireError>, status: number, code: string): void {
  expect([answer.status, answer.body?.code]).toEqual([status, code]);
  expect(Object.keys(answer.body)).toEqual(['message', 'code', 'type', 'link']);
  expect(answer.body.type).toBe('invalid_request');
  expect(answer.body.link.endsWith(`#${code}`)).toBe(true);
}

async function stateOf(server: ServerProcess, folder: string): Promise<State> {
  const [tasks, documents, found, indexes] = await Promise.all([
    server.call<WirePage<WireTask>>('GET', '/tasks?limit=1'),
    server.call<WirePage<unknown>>('GET', PATH),
    server.call<{ hits: unknown[] }>('POST', '/indexes/books/search', { q: '' }),
    server.call<WirePage<unknown>>('GET', '/indexes'),
  ]);
  return {
    tasksTotal: tasks.body.total,
    documents: documents.body.results,
    hits: found.body.hits,
    indexes: indexes.body.results,
    payloadFiles: readdirSync(join(folder, 'update_files')),
  };
}

/** Streams NDJSON of `totalBytes` until the server answers, as clients do that read while they send. */
function streamLines(server: ServerProcess, totalBytes: number): Promise<WireAnswer<WireError>> {
  const line = Buffer.from(`{"id":3,"title":"${'x'.repeat(MEGABYTE - 20)}"}\n`);
  return new Promise((resolve, reject) => {
    let answer: WireAnswer<WireError> | undefined;
    const outgoing = request(`${server.url}${PATH}`, { method: 'POST', headers: NDJSON_TYPE }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      incoming.once('end', () => {
        answer = { status: incoming.statusCode ?? 0, body: JSON.parse(text) as WireError };
        outgoing.destroy();
      });
    });
    outgoing.once('error', reject);
    outgoing.once('close', () => (answer ? resolve(answer) : reject(new Error('The connection closed unanswered.'))));
    let sentBytes = 0;
    const sendMore = (): void => {
      while (answer === undefined && sentBytes < totalBytes) {
        sentBytes += line.length;
        if (!outgoing.write(line)) return void outgoing.once('drain', sendMore);
      }
      outgoing.end();
    };
    sendMore();
  });
}

/** Announces a body of ten million bytes, and sends some complete lines of it. */
function beginBody(server: ServerProcess, lineCount: number): Promise<ClientRequest> {
  return new Promise((resolve) => {
    const headers = { ...NDJSON_TYPE, 'content-length': '10000000' };
    const outgoing = request(`${server.url}${PATH}`, { method: 'POST', headers, agent: false });
    outgoing.on('error', () => undefined);
    outgoing.write(`{"id":3,"title":"${'a'.repeat(1_000)}"}\n`.repeat(lineCount), () => resolve(outgoing));
  });
}

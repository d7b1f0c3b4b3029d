import { request } from 'node:http';
import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { COPIES } from '../e2e/dumping-server.test-support.js';
import { newDatabaseFolder, removeFolder } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { type Loose, MASTER_KEY, part, walked } from './walk.test-support.js';

const walk = walked(async (w) => {
  await w.done('POST', '/indexes/books/documents', [{ id: 1, title: 'Sea' }]);
});

/** A request as it is on the wire: nothing is decoded. */
function raw(method: string, path: string, headers: Record<string, string>, body?: Uint8Array | string) {
  return new Promise<{ status: number; headers: Loose; bytes: Buffer }>((resolve, reject) => {
    const all = { authorization: `Bearer ${MASTER_KEY}`, ...headers };
    const sent = request(`${walk.server.url}${path}`, { method, headers: all }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const service = part('What the service does');
service('all payloads are JSON', async () => {
  for (const path of ['/health', '/indexes', '/stats', '/tasks', '/batches', '/version', '/indexes/books/settings'])
    expect([path, (await raw('GET', path, {})).headers['content-type']]).toEqual([
      path,
      expect.stringMatching(/^application\/json/),
    ]);
});
service('write operations answer a summarized task and are tracked as a task in a batch', async () => {
  const { body } = await walk.call('POST', '/indexes/books/documents', [{ id: 2 }]);
  expect(body.status).toBe('enqueued');
  const task = await walk.task(body.taskUid);
  expect((await walk.call('GET', `/batches/${task.batchUid}`)).status).toBe(200);
});
service('without TLS an upgrade to HTTP/2 is declined and the server answers with HTTP/1', async () => {
  const settings = Buffer.from('AAMAAABkAAQCAAAAAAIAAAAA', 'base64').toString('base64url');
  const upgrade = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': settings };
  expect((await raw('GET', '/health', upgrade)).status).toBe(200);
});

const conventions = part('General conventions');
conventions('the order of query parameters does not matter', async () => {
  const [one, other] = await Promise.all(
    ['limit=1&offset=0', 'offset=0&limit=1'].map((q) => walk.call('GET', `/indexes?${q}`)),
  );
  expect(one).toEqual(other);
});
conventions('a payload requires a Content-Type', async () => {
  const { status, bytes } = await raw('POST', '/indexes/books/documents', {}, '[{"id":3}]');
  expect([status, JSON.parse(bytes.toString()).code]).toEqual([415, 'missing_content_type']);
  const wrong = await raw('POST', '/indexes/books/documents', { 'content-type': 'text/plain' }, '[{"id":3}]');
  expect([wrong.status, JSON.parse(wrong.bytes.toString()).code]).toEqual([415, 'invalid_content_type']);
});
for (const [type, body] of [
  ['application/json', '[{"id":"t","n":1}]'],
  ['application/x-ndjson', '{"id":"t","n":1}\n'],
  ['text/csv', 'id:string,n:number\nt,1\n'],
] as const)
  conventions(`the media type ${type} is supported`, async () => {
    const { status, bytes } = await raw('POST', '/indexes/types/documents', { 'content-type': type }, body);
    expect(status).toBe(202);
    expect((await walk.task(JSON.parse(bytes.toString()).taskUid)).status).toBe('succeeded');
    expect((await walk.call('GET', '/indexes/types/documents/t')).body).toEqual({ id: 't', n: 1 });
  });
for (const [method, compress, expand] of [
  ['br', brotliCompressSync, brotliDecompressSync],
  ['deflate', deflateSync, inflateSync],
  ['gzip', gzipSync, gunzipSync],
] as const) {
  conventions(`a request may be compressed by ${method}`, async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': method };
    const { status, bytes } = await raw('POST', '/indexes/books/search', headers, compress('{"q":"sea"}'));
    expect([status, JSON.parse(bytes.toString()).query]).toEqual([200, 'sea']);
  });
  conventions(`an answer, however small, is compressed when ${method} is accepted`, async () => {
    const { headers, bytes } = await raw('GET', '/indexes', { 'accept-encoding': method });
    expect(headers['content-encoding']).toBe(method);
    expect(JSON.parse(expand(bytes).toString()).results[0].uid).toBe('books');
  });
}
for (const path of ['/indexes', '/indexes/many/documents', '/keys'])
  conventions(`${path} is paginated: 20 by default, offset, limit, total, results`, async () => {
    const documents = Array.from({ length: 200 }, (_, id) => ({ id, text: `text ${id}` }));
    if (path.includes('many')) await walk.done('POST', path, documents);
    const { body } = await walk.call('GET', path);
    expect(body).toMatchObject({ offset: 0, limit: 20, total: expect.any(Number), results: expect.any(Array) });
    expect(body.results).toHaveLength(Math.min(20, body.total));
    expect((await walk.call('GET', `${path}?offset=1&limit=1`)).body).toMatchObject({
      offset: 1,
      limit: 1,
      results: [body.results[1]],
    });
  });
conventions('endpoints of documents exist', async () => {
  await walk.done('POST', '/indexes/paths/documents', [{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect((await walk.call('GET', '/indexes/paths/documents/1')).body).toEqual({ id: 1 });
  expect((await walk.call('POST', '/indexes/paths/documents/fetch', {})).body.total).toBe(3);
  await walk.done('PUT', '/indexes/paths/documents', [{ id: 1, n: 1 }]);
  await walk.done('PUT', '/indexes/paths/settings/filterable-attributes', ['n']);
  await walk.done('POST', '/indexes/paths/documents/delete', { filter: 'n = 1' });
  await walk.done('POST', '/indexes/paths/documents/delete-batch', [2]);
  await walk.done('DELETE', '/indexes/paths/documents/3');
  await walk.done('DELETE', '/indexes/paths/documents');
  expect((await walk.call('GET', '/indexes/paths/documents')).body.total).toBe(0);
});
conventions('endpoints of settings exist with sub-routes', async () => {
  const { body } = await walk.call('GET', '/indexes/books/settings');
  for (const name of Object.keys(body)) {
    const sub = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    expect(await walk.call('GET', `/indexes/books/settings/${sub}`)).toEqual({ status: 200, body: body[name] });
  }
});
conventions(
  'endpoints for health, version, dumps, snapshots, network, experimental features and logs exist',
  async () => {
    await walk.call('PATCH', '/experimental-features', { network: true, logsRoute: true });
    for (const [method, path, status, body] of [
      ['GET', '/health', 200],
      ['GET', '/version', 200],
      ...COPIES.map((path) => ['POST', path, 202] as const),
      ['GET', '/network', 200],
      ['GET', '/experimental-features', 200],
      ['DELETE', '/logs/stream', 204],
      ['POST', '/logs/stderr', 204, { target: 'error' }],
    ] as const)
      expect([path, (await walk.call(method, path, body)).status]).toEqual([path, status]);
  },
);
for (const method of ['br', 'deflate', 'gzip'])
  conventions(`a larger answer is compressed when ${method} is accepted`, async () => {
    const { headers } = await raw('GET', '/indexes/many/documents?limit=1000', { 'accept-encoding': method });
    expect(headers['content-encoding']).toBe(method);
  });
conventions(
  'an unknown path answers 404, a method that a path does not have 405, both with an error object',
  async () => {
    const paths: Readonly<Record<string, string>> = {
      '/indexes': 'PUT',
      '/indexes/books': 'POST',
      '/indexes/books/search': 'PATCH',
      '/indexes/books/similar': 'DELETE',
      '/indexes/books/facet-search': 'GET',
      '/indexes/books/documents/fetch': 'PUT',
      '/indexes/books/documents/delete': 'GET',
      '/indexes/books/documents/delete-batch': 'GET',
      '/indexes/books/documents/edit': 'GET',
      '/indexes/books/stats': 'POST',
      '/indexes/books/fields': 'GET',
      '/indexes/books/compact': 'GET',
      '/indexes/books/settings': 'PUT',
      '/indexes/books/settings/stop-words': 'PATCH',
      '/indexes/books/settings/chat': 'PUT',
      '/multi-search': 'GET',
      '/swap-indexes': 'GET',
      '/tasks': 'POST',
      '/tasks/cancel': 'DELETE',
      '/batches': 'POST',
      '/keys': 'PUT',
      '/stats': 'POST',
      '/health': 'POST',
      '/version': 'POST',
      ...Object.fromEntries(COPIES.map((path) => [path, 'GET'])),
      '/metrics': 'POST',
      '/logs/stream': 'GET',
      '/logs/stderr': 'GET',
      '/network': 'POST',
      '/experimental-features': 'POST',
      '/dynamic-search-rules': 'GET',
      '/render-template': 'GET',
    };
    for (const [path, method] of Object.entries(paths)) {
      const { status, headers, bytes } = await raw(method, path, {});
      expect([path, status, typeof headers.allow]).toEqual([path, 405, 'string']);
      expect(JSON.parse(bytes.toString())).toMatchObject({ code: 'method_not_allowed', type: 'invalid_request' });
    }
    for (const path of ['/none', '/indexes/books/none', '/tasks/1/2/3', '/keys/a/b']) {
      const { status, bytes } = await raw('GET', path, {});
      expect([path, status]).toEqual([path, 404]);
      expect(JSON.parse(bytes.toString())).toMatchObject({
        code: 'route_not_found',
        message: expect.stringContaining(path),
      });
    }
  },
);

const errors = part('Errors');
errors('1, an error has message, code, type and link, which leads to its code', async () => {
  for (const [method, path, body] of [
    ['GET', '/indexes/none', undefined],
    ['POST', '/indexes/books/search', { filter: 'x' }],
    ['GET', '/tasks/999999', undefined],
    ['POST', '/keys', {}],
  ] as const) {
    const answer = (await walk.call(method, path, body)).body;
    expect(Object.keys(answer)).toEqual(['message', 'code', 'type', 'link']);
    expect(answer.link).toMatch(new RegExp(`/docs/reference/errors\\.md#${answer.code}$`));
  }
});
errors('2, task_not_found and invalid_search_filter', async () => {
  expect((await walk.call('GET', '/tasks/999999')).body.code).toBe('task_not_found');
  expect((await walk.call('POST', '/indexes/books/search', { filter: '=' })).body.code).toBe('invalid_search_filter');
});
errors('2, proxy_could_not_send_request with type system', async () => {
  await walk.call('PATCH', '/experimental-features', { network: true });
  await walk.call('PATCH', '/network', { self: 'here', remotes: { away: { url: 'http://127.0.0.1:9' } } });
  const queries = [{ indexUid: 'books', federationOptions: { remote: 'away' } }];
  const { remoteErrors } = (await walk.call('POST', '/multi-search', { federation: {}, queries })).body;
  expect(remoteErrors.away).toMatchObject({ code: 'proxy_could_not_send_request', type: 'system' });
});
errors('2, a network has no leader, and no answer speaks of another edition', async () => {
  await walk.call('PATCH', '/experimental-features', { network: true });
  const { status, body } = await walk.call('PATCH', '/network', { leader: 'here' });
  expect([status, body.code]).toEqual([400, 'invalid_network_leader']);
  expect((await walk.call('POST', '/network/control', {})).status).toBe(404);
  expect((await walk.call('PATCH', '/network', { leader: null })).status).toBe(200);
  const { body: specification } = await walk.call('GET', '/openapi.json');
  expect(JSON.stringify([body, specification])).not.toMatch(/enterprise/i);
});
errors('5, 200 for reads, cancel, delete of tasks and keys; 201 for a key; 202 for indexes', async () => {
  const key = await walk.call('POST', '/keys', { actions: ['search'], indexes: ['*'], expiresAt: null });
  expect(key.status).toBe(201);
  for (const [method, path, status, body] of [
    ['GET', '/indexes', 200],
    ['POST', '/tasks/cancel?uids=0', 200],
    ['DELETE', '/tasks?uids=99999', 200],
    ['PATCH', `/keys/${key.body.uid}`, 200, { name: 'x' }],
    ['POST', '/indexes', 202, { uid: 'statuses' }],
    ['PATCH', '/indexes/statuses', 202, { primaryKey: 'id' }],
    ['DELETE', '/indexes/statuses', 202],
  ] as const)
    expect([path, (await walk.call(method, path, body)).status]).toEqual([path, status]);
});

const limits = part('Limits');
limits('the master key has at least 16 bytes', async () => {
  const folder = newDatabaseFolder();
  await expect(startTestServer(folder, ['--env', 'production', '--master-key', '123456789012345'])).rejects.toThrow(
    '16',
  );
  removeFolder(folder);
});

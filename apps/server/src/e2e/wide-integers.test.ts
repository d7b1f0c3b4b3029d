/** Integers beyond 2^53 over HTTP: as values, as ids in JSON, as foreign keys, and in the filters of tenant tokens. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const MASTER_KEY = 'a-master-key-of-some-length';
const HEADERS = { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' };
const SNOWFLAKES = ['4223372036854775805', '4223372036854775806', '4223372036854775807'];
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('integers beyond 2^53', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  const call = async (method: string, path: string, body?: string, headers: Record<string, string> = HEADERS) => {
    const answer = await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    expect([text, answer.ok]).toEqual([text, true]);
    return { text, body: JSON.parse(text) as Record<string, unknown> };
  };
  const idsIn = (answer: { readonly body: Record<string, unknown> }): unknown[] =>
    (answer.body['hits'] as { readonly id: number }[]).map(({ id }) => id);
  const search = (body: object, headers = HEADERS) =>
    call('POST', '/indexes/posts/search', JSON.stringify(body), headers);

  beforeAll(async () => {
    server = await startTestServer(folder, ['--master-key', MASTER_KEY]);
    await call('PATCH', '/experimental-features', '{"foreignKeys":true}');
    const attributes = '{"filterableAttributes":["n","id"],"sortableAttributes":["n"]}';
    for (const uid of ['posts', 'lines', 'rows', 'replies', 'people'])
      await call('PATCH', `/indexes/${uid}/settings`, attributes);
    const json = SNOWFLAKES.map((n, at) => `{"id":${at + 1},"n":${n},"author":{"id":${n}}}`);
    await call('POST', '/indexes/posts/documents?primaryKey=id', `[${json.join()}]`);
    const ndjson = { ...HEADERS, 'content-type': 'application/x-ndjson' };
    await call('POST', '/indexes/lines/documents?primaryKey=id', json.join('\n'), ndjson);
    const csv = { ...HEADERS, 'content-type': 'text/csv' };
    const cells = [...SNOWFLAKES, '18446744073709551615', '-9223372036854775807'];
    const rows = cells.map((n, at) => `${at + 1},${n}`).join('\n');
    await call('POST', '/indexes/rows/documents?primaryKey=id', `id:number,n:number\n${rows}`, csv);
    const people = SNOWFLAKES.map((n, at) => `{"id":${n},"n":${n},"name":"p${at + 1}"}`);
    await call('POST', '/indexes/people/documents?primaryKey=id', `[${people.join()}]`);
    await call('PATCH', '/indexes/replies/settings', '{"foreignKeys":[{"foreignIndexUid":"people","fieldName":"n"}]}');
    await call('POST', '/indexes/replies/documents?primaryKey=id', `[${json.join()}]`);
    await server.allTasksDone();
  });
  afterAll(async () => {
    await server?.stop();
    removeFolder(folder);
  });

  test.each(['posts', 'lines', 'rows'])('as values of %s', async (uid) => {
    const found = async (body: object) => idsIn(await call('POST', `/indexes/${uid}/search`, JSON.stringify(body)));
    for (const [at, n] of SNOWFLAKES.entries()) {
      expect(await found({ filter: `n = ${n}` })).toEqual([at + 1]);
      expect(await found({ filter: `n = "${n}"` })).toEqual([at + 1]);
    }
    expect(await found({ filter: `n > ${SNOWFLAKES[0]!} AND n < 1e19` })).toEqual([2, 3]);
    expect(await found({ filter: `n IN [${SNOWFLAKES[2]!}, ${SNOWFLAKES[0]!}]` })).toEqual([1, 3]);
    expect(await found({ filter: 'id < 4', sort: ['n:desc'] })).toEqual([3, 2, 1]);
    expect(await found({ filter: 'id < 4', distinct: 'n' })).toEqual([1, 2, 3]);
    const path = `/indexes/${uid}/search?filter=${encodeURIComponent(`n >= ${SNOWFLAKES[2]!} AND id < 4`)}&facets=n`;
    const { text } = await call('GET', path);
    expect(text).toContain(`"n":{"${SNOWFLAKES[2]!}":1}`);
    expect(text).toContain(`"facetStats":{"n":{"min":${SNOWFLAKES[2]!},"max":${SNOWFLAKES[2]!}}}`);
  });

  test('as cells of CSV, without a sign and with one', async () => {
    for (const [filter, id] of [
      ['n = 18446744073709551615', 4],
      ['n > 18446744073709551614', 4],
      ['n = -9223372036854775807', 5],
      ['n < -9223372036854775806', 5],
    ] as const)
      expect(idsIn(await call('POST', '/indexes/rows/search', JSON.stringify({ filter })))).toEqual([id]);
    expect((await call('GET', '/indexes/rows/documents/4')).text).toBe('{"id":4,"n":18446744073709551615}');
  });

  test('in several searches, federated and not', async () => {
    const queries = [2, 1].map((at) => ({ indexUid: 'posts', filter: `n = ${SNOWFLAKES[at]!}`, sort: ['n:asc'] }));
    const federation = { facetsByIndex: { posts: ['n'] }, mergeFacets: {} };
    const { body, text } = await call('POST', '/multi-search', JSON.stringify({ queries, federation }));
    expect(idsIn({ body })).toEqual([2, 3]);
    expect(text).toContain(`{"n":{"min":${SNOWFLAKES[1]!},"max":${SNOWFLAKES[2]!}}}`);
    const apart = await call('POST', '/multi-search', JSON.stringify({ queries }));
    const results = apart.body['results'] as { readonly hits: { readonly id: number }[] }[];
    expect(results.map(({ hits }) => hits.map(({ id }) => id))).toEqual([[3], [2]]);
  });

  test('a tenant token shows no document of a neighbour', async () => {
    const made = await call('POST', '/keys', '{"actions":["search"],"indexes":["*"],"expiresAt":null}');
    const { uid, key } = made.body as { readonly uid: string; readonly key: string };
    const token = (filter: string): string => {
      const claims = { apiKeyUid: uid, searchRules: { posts: { filter } } };
      const signed = `${base64({ typ: 'JWT', alg: 'HS256' })}.${base64(claims)}`;
      return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
    };
    const seen = async (filter: string, body: object = {}) =>
      idsIn(await search(body, { ...HEADERS, authorization: `Bearer ${token(filter)}` }));
    for (const [at, n] of SNOWFLAKES.entries()) {
      expect(await seen(`n = ${n}`)).toEqual([at + 1]);
      expect(await seen(`n IN [${n}, 7]`)).toEqual([at + 1]);
      expect(await seen(`n ${n} TO ${n}`)).toEqual([at + 1]);
      expect(await seen(`n >= ${n} AND n <= ${n}`, { filter: 'n > 0' })).toEqual([at + 1]);
      expect(await seen(`NOT n = ${n}`)).toEqual([1, 2, 3].filter((id) => id !== at + 1));
    }
    expect(await seen('n = 4223372036854775808')).toEqual([]);
  });

  test('as ids in JSON: reading, deleting and similar ones name the document itself', async () => {
    const fetched = await call('POST', '/indexes/people/documents/fetch', `{"ids":[${SNOWFLAKES[1]!}, "x"]}`);
    expect(fetched.text).toContain(`"results":[{"id":${SNOWFLAKES[1]!},"n":${SNOWFLAKES[1]!},"name":"p2"}]`);
    expect((await call('GET', `/indexes/people/documents/${SNOWFLAKES[2]!}`)).text).toContain('"name":"p3"');
    await call('POST', '/indexes/gone/documents?primaryKey=id', `[${SNOWFLAKES.map((n) => `{"id":${n}}`).join()}]`);
    await call('POST', '/indexes/gone/documents/delete-batch', `[${SNOWFLAKES[0]!}]`);
    await server.allTasksDone();
    const left = async () => (await call('GET', '/indexes/gone/documents')).text;
    expect(await left()).toContain(`"results":[{"id":${SNOWFLAKES[1]!}},{"id":${SNOWFLAKES[2]!}}]`);
    // a list of this length goes to a file
    const many = Array.from({ length: 5_000 }, (_, at) => 6_000_000_000_000_000_000n + BigInt(at));
    await call('POST', '/indexes/gone/documents/delete-batch', `[${[...many, SNOWFLAKES[2]!].join()}]`);
    await server.allTasksDone();
    expect(await left()).toContain(`"results":[{"id":${SNOWFLAKES[1]!}}]`);
    await call('POST', '/indexes/gone/documents/delete', `{"filter":"id = ${SNOWFLAKES[1]!}"}`);
    const wrong = await server.call(
      'POST',
      '/indexes/people/documents/fetch',
      '{"limit":12345678901234567890123}',
      HEADERS,
    );
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_document_limit' } });
    const text = await server.call('POST', '/indexes/people/documents/fetch', '{"limit":1234567890123456789}', HEADERS);
    expect(text.status).toBe(400);
  });

  test('as foreign keys, in both directions', async () => {
    const hit = async (filter: string) =>
      (await call('POST', '/indexes/replies/search', JSON.stringify({ filter }))).text;
    expect(await hit('id = 2')).toContain(`"n":{"id":${SNOWFLAKES[1]!},"n":${SNOWFLAKES[1]!},"name":"p2"}`);
    const joined = await call('POST', '/indexes/replies/search', `{"filter":"_foreign(n, n = ${SNOWFLAKES[2]!})"}`);
    expect(idsIn(joined)).toEqual([3]);
  });

  test('in documents that are deleted or edited by a filter', async () => {
    await call(
      'POST',
      '/indexes/edited/documents?primaryKey=id',
      `[${SNOWFLAKES.map((n, at) => `{"id":${at},"n":${n}}`).join()}]`,
    );
    await call('PATCH', '/indexes/edited/settings', '{"filterableAttributes":["n","m"]}');
    await call('PATCH', '/experimental-features', '{"editDocumentsByFunction":true}');
    const edit = { filter: `n = ${SNOWFLAKES[1]!}`, function: 'doc.m = doc.n + 2; doc.k = doc.n - 1' };
    await call('POST', '/indexes/edited/documents/edit', JSON.stringify(edit));
    await call('POST', '/indexes/edited/documents/delete', `{"filter":"n = ${SNOWFLAKES[0]!}"}`);
    await server.allTasksDone();
    expect((await call('GET', '/indexes/edited/documents')).text).toContain(
      `"results":[{"id":1,"n":${SNOWFLAKES[1]!},"k":${SNOWFLAKES[0]!},"m":4223372036854775808},{"id":2,"n":${SNOWFLAKES[2]!}}]`,
    );
    const { body } = await call('POST', '/indexes/edited/search', '{"filter":"m = 4223372036854775808"}');
    expect(idsIn({ body })).toEqual([1]);
  });
});

test('integers beyond 2^53 of another instance keep their digits and their order', async () => {
  const folders = [newDatabaseFolder(), newDatabaseFolder()];
  const network = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
  const servers = await Promise.all(folders.map((folder) => startTestServer(folder, network)));
  try {
    const [near, far] = servers as [TestServer, TestServer];
    for (const [server, numbers] of [
      [near, [SNOWFLAKES[1], '9223372036854775808']],
      [far, [SNOWFLAKES[0], SNOWFLAKES[2], '9223372036854775807']],
    ] as const) {
      await server.call('PATCH', '/experimental-features', { network: true });
      const settings = { filterableAttributes: ['n'], sortableAttributes: ['n'] };
      await server.call('PATCH', '/indexes/posts/settings', settings);
      const documents = numbers.map((n) => `{"id":${n!},"n":${n!}}`);
      const json = { 'content-type': 'application/json' };
      await server.call('POST', '/indexes/posts/documents?primaryKey=id', `[${documents.join()}]`, json);
      await server.allTasksDone();
    }
    await near.call('PATCH', '/network', { self: 'near', remotes: { near: { url: near.url }, far: { url: far.url } } });
    const post = async (path: string, body: object): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(near.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    };
    const inOrder = (text: string): string[] => [...text.matchAll(/\{"id":(\d+),"n":\1\b/g)].map(([, n]) => n!);
    const ascending = [...SNOWFLAKES, '9223372036854775807', '9223372036854775808'];
    for (const [sort, numbers] of [
      [['n:asc'], ascending],
      [['n:desc'], [...ascending].reverse()],
    ] as const) {
      const found = await post('/indexes/posts/search', { sort, useNetwork: true, facets: ['n'] });
      expect(inOrder(found)).toEqual(numbers);
      expect(found).toContain('"facetStats":{"n":{"min":4223372036854775805,"max":9223372036854775808}}');
      expect(inOrder(await post('/indexes/posts/documents/fetch', { sort, useNetwork: true }))).toEqual(numbers);
    }
    const distinct = await post('/indexes/posts/search', { distinct: 'n', useNetwork: true });
    expect(new Set(inOrder(distinct))).toEqual(new Set(ascending));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    for (const folder of folders) removeFolder(folder);
  }
});

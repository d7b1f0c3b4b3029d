import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { chosenRounds } from './rounds.test-support.js';

/** Names that every object inherits, or that mean something to one. */
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON', 'prototype', 'length'];
const SEEDS = {
  documents: [
    '{"id":1',
    '[[[[{"id":1}]]]]',
    `{"id":${'['.repeat(3000)}${']'.repeat(3000)}}`,
    `{"id":1,"a":${'{"b":'.repeat(6000)}1${'}'.repeat(6000)}}`,
    '{"id":1,"a":1e999}',
    '{"id":1,"a":"\\ud800"}',
    '{"id":1,"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}',
    '{"id":1,"toJSON":1,"_vectors":{"__proto__":[1]},"_geo":{"__proto__":1}}',
    '{"id":"__proto__"}',
    '\ufeff{"id":1}',
    '{"id":1}\u0000',
    'id,__proto__\n1,2\n',
    'id:number,a:number\nNaN,inf\n',
    'id,id\n1\n',
    '"id\n',
  ],
};
const name = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.string({ maxLength: 8 }),
  fc.constantFrom('id', 'a.b', '_geo', '_vectors'),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, -0, 1.5, 1e300, 2 ** 60, '', ...NAMES),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
}));
const json = value.map((one) => JSON.stringify(one));
/** JSON with pieces cut out, doubled or replaced, and bytes of all kinds. */
const bytes = fc.oneof(
  json,
  fc.array(json, { maxLength: 5 }).map((lines) => lines.join('\n')),
  fc.tuple(json, fc.nat(200), fc.nat(20)).map(([text, at, length]) => text.slice(0, at) + text.slice(at + length)),
  fc.tuple(json, json, fc.nat(50)).map(([a, b, at]) => a.slice(0, at) + b + a.slice(at)),
  fc.constantFrom(...SEEDS.documents),
  fc.uint8Array({ maxLength: 100 }),
);
const type = fc.constantFrom(
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'text/plain',
  'application/json; a=b',
);
const encoding = fc.constantFrom('', '', '', 'gzip', 'br', 'constructor', '__proto__', 'identity');
const WRITES = [
  ...['/documents', '/documents?primaryKey=constructor', '/documents?csvDelimiter=%00'].flatMap((path) => [
    `POST ${path}`,
    `PUT ${path}`,
  ]),
  ...['delete-batch', 'delete', 'edit', 'fetch'].map((path) => `POST /documents/${path}`),
  'PATCH /settings',
  ...[
    'ranking-rules',
    'synonyms',
    'stop-words',
    'filterable-attributes',
    'sortable-attributes',
    'localized-attributes',
  ].map((path) => `PUT /settings/${path}`),
  ...['embedders', 'typo-tolerance', 'faceting', 'pagination'].map((path) => `PATCH /settings/${path}`),
  ...['search', 'facet-search', 'similar', 'fields'].map((path) => `POST /${path}`),
];
const OTHERS = [
  ...['indexes', 'multi-search', 'webhooks', 'keys', 'swap-indexes', 'render-template', 'dynamic-search-rules'].map(
    (path) => `POST /${path}`,
  ),
  'PATCH /network',
  'PATCH /experimental-features',
  'PATCH /dynamic-search-rules/constructor',
];
const MASTER_KEY = 'a master key for the fuzzer of writes';
const AUTH = { authorization: `Bearer ${MASTER_KEY}` };

describe('whatever is written', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder, ['--master-key', MASTER_KEY]);
    const features = { network: true, dynamicSearchRules: true, renderRoute: true, editDocumentsByFunction: true };
    await server.call(
      'PATCH',
      '/experimental-features',
      { ...features, chatCompletions: true, foreignKeys: true },
      AUTH,
    );
  });
  afterAll(async () => {
    await server.kill();
    removeFolder(folder);
  });

  const send = (route: string, body: string | Uint8Array, headers: Record<string, string>) => {
    const [method = '', path = ''] = route.split(' ');
    return fetch(server.url + path, {
      method,
      headers: { ...AUTH, ...headers },
      body: body as NonNullable<RequestInit['body']>,
    });
  };
  async function expectAnswer(answer: Response): Promise<void> {
    const text = await answer.text();
    expect([answer.status, text.slice(0, 300)]).toEqual([
      expect.toSatisfy((status: number) => status < 500),
      expect.anything(),
    ]);
    if (text !== '') JSON.parse(text);
  }
  /** The queue still moves, and what is there can be read. */
  async function expectAlive(): Promise<void> {
    await server.call('POST', '/indexes/alive/documents', [{ id: 1 }], AUTH);
    const tasks = await server.allTasksDone();
    expect(tasks[0]).toMatchObject({ status: 'succeeded', indexUid: 'alive' });
    expect(tasks.filter(({ error }) => error !== null && error.code === 'internal')).toEqual([]);
    for (const path of [
      '/documents?limit=1000',
      '/search?attributesToHighlight=*&facets=*&limit=1000',
      '/settings',
      '/stats',
    ])
      await expectAnswer(await fetch(`${server.url}/indexes/fuzz${path}`, { headers: AUTH }));
    for (const path of ['/indexes', '/tasks?limit=1000', '/network', '/webhooks', '/stats'])
      await expectAnswer(await fetch(server.url + path, { headers: AUTH }));
  }

  it('never costs an answer, nor the queue', async () => {
    const write = fc.tuple(fc.constantFrom(...WRITES), bytes, type, encoding);
    await fc.assert(
      fc.asyncProperty(write, async ([route, body, contentType, contentEncoding]) => {
        const headers = {
          'content-type': contentType,
          ...(contentEncoding === '' ? {} : { 'content-encoding': contentEncoding }),
        };
        await expectAnswer(await send(route.replace(' /', ' /indexes/fuzz/'), body, headers));
      }),
      { numRuns: chosenRounds(400, 10_000) },
    );
    const other = fc.tuple(fc.constantFrom(...OTHERS), fc.oneof(json, bytes));
    await fc.assert(
      fc.asyncProperty(other, async ([route, body]) => {
        await expectAnswer(await send(route, body, { 'content-type': 'application/json' }));
      }),
      { numRuns: chosenRounds(200, 5_000) },
    );
    await expectAlive();
  });

  it('names that objects inherit are names like others', async () => {
    const post = async (route: string, body: unknown) => {
      const answer = await send(route, typeof body === 'string' ? body : JSON.stringify(body), {
        'content-type': 'application/json',
      });
      return { status: answer.status, body: JSON.parse(await answer.text()) as Record<string, unknown> };
    };
    // JSON.stringify of a literal would leave __proto__ out
    const withName = (one: string, inner: string): string => `{${JSON.stringify(one)}:${inner}}`;
    for (const one of NAMES) {
      const network = await post('PATCH /network', `{"remotes":${withName(one, '{"url":"http://192.0.2.1:1/"}')}}`);
      expect([one, network.status, Object.keys(network.body.remotes as object)]).toEqual([
        one,
        200,
        expect.arrayContaining([one]),
      ]);
      expect((await post('PATCH /network', withName(one, '1'))).body.code).toBe('bad_request');
      expect((await post('PUT /indexes/names/settings/synonyms', withName(one, '["word"]'))).status).toBe(202);
      await server.allTasksDone();
      const synonyms = await server.call<object>('GET', '/indexes/names/settings/synonyms', undefined, AUTH);
      expect(Object.keys(synonyms.body)).toEqual([one]);
    }
    const uids = NAMES.map((uid) => ({ uid }));
    for (const { uid } of uids) {
      const fields = withName(uid, '{"a":[1.0]}').slice(1, -1);
      expect((await post(`POST /indexes/${uid}/documents?primaryKey=id`, `{"id":"${uid}",${fields}}`)).status).toBe(
        202,
      );
      const lists = { filterableAttributes: [uid], sortableAttributes: [uid], distinctAttribute: uid };
      expect(
        (await post(`PATCH /indexes/${uid}/settings`, { ...lists, faceting: { sortFacetValuesBy: {} } })).status,
      ).toBe(202);
    }
    expect(
      (await server.allTasksDone()).filter(
        ({ status, indexUid }) => status !== 'succeeded' && NAMES.includes(indexUid ?? ''),
      ),
    ).toEqual([]);
    for (const { uid } of uids) {
      const search = {
        facets: [uid],
        sort: [`${uid}:asc`],
        distinct: uid,
        filter: `${uid} EXISTS`,
        attributesToHighlight: ['*'],
      };
      const found = await send(`POST /indexes/${uid}/search`, JSON.stringify(search), {
        'content-type': 'application/json',
      });
      expect([uid, found.status, await found.text()]).toEqual([
        uid,
        200,
        expect.stringContaining(
          `{"id":"${uid}",${withName(uid, '{"a":[1.0]}').slice(1, -1)},"_formatted":{"id":"${uid}",${withName(uid, '{"a":["1.0"]}').slice(1, -1)}}}`,
        ),
      ]);
      expect((await post(`POST /indexes/${uid}/search`, `{${JSON.stringify(uid)}:1}`)).body.code).toBe('bad_request');
      expect((await post(`POST /indexes/${uid}/facet-search`, { facetName: uid })).status).toBe(200);
    }
  });

  it('documents come back as they were sent, numbers and strings to the letter', async () => {
    const numbers = fc.oneof(
      fc.constantFrom(
        '1.0',
        '-0.0',
        '0',
        '1e+30',
        '1e-7',
        '9007199254740993',
        '18446744073709551615',
        '-9223372036854775808',
        '0.1',
      ),
      fc.integer().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true, min: 1e-5, max: 1e15 }).map(String),
      fc.integer({ min: -1e9, max: 1e9 }).map((one) => `${one}.0`),
    );
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.uuid(),
      fc.constantFrom(...NAMES),
    );
    const quoted = texts.map((one) => JSON.stringify(one));
    // objects move names of whole numbers to their front, and `_geo` and `_vectors` mean something
    const fieldName = fc.oneof(texts, fc.constantFrom(...NAMES)).filter((one) => !/^\d+$|^_|^id$/.test(one));
    const { any } = fc.letrec<{ any: string; list: string; object: string }>((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        numbers,
        quoted,
        fc.constantFrom('null', 'true', 'false'),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('any'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      object: fc
        .uniqueArray(fc.tuple(fieldName, tie('any')), { selector: ([one]) => one, maxLength: 4 })
        .map((members) => `{${members.map(([one, inner]) => `${JSON.stringify(one)}:${inner}`).join(',')}}`),
    }));
    const members = fc.uniqueArray(fc.tuple(fieldName, any), { selector: ([one]) => one, maxLength: 6 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(members, { minLength: 1, maxLength: 20 }), async (all) => {
        const uid = `round-${round++}`;
        const documents = all.map((fields, id) => [
          `"id":${id}`,
          ...fields.map(([one, inner]) => `${JSON.stringify(one)}:${inner}`),
        ]);
        const sent = documents.map((fields) => `{${fields.join(',')}}`);
        const added = await send(`POST /indexes/${uid}/documents?primaryKey=id`, sent.join('\n'), {
          'content-type': 'application/x-ndjson',
        });
        expect(added.status).toBe(202);
        await added.text();
        expect((await server.allTasksDone())[0]).toMatchObject({ indexUid: uid, status: 'succeeded' });
        const listed = await (
          await fetch(`${server.url}/indexes/${uid}/documents?limit=100`, { headers: AUTH })
        ).text();
        expect(listed).toBe(`{"results":[${sent.join(',')}],"offset":0,"limit":100,"total":${sent.length}}`);
        const found = await (await fetch(`${server.url}/indexes/${uid}/search?limit=100`, { headers: AUTH })).text();
        // hits show their fields in the order in which the index met them
        for (const fields of documents) for (const field of fields) expect(found).toContain(field);
        await server.call('DELETE', `/indexes/${uid}`, undefined, AUTH);
      }),
      { numRuns: chosenRounds(12, 300) },
    );
  });
});

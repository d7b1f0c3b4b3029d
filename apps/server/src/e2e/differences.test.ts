/** Each row of docs/reference/differences.md, asked of a server. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const PAGE = fileURLToPath(new URL('../../../../docs/reference/differences.md', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fossick-differences-'));
let server: TestServer;
let indexCount = 0;

beforeAll(async () => {
  server = await startTestServer(join(folder, 'data'));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Document = Readonly<Record<string, unknown>>;
interface Answer {
  readonly hits: readonly Document[];
  readonly estimatedTotalHits: number;
  readonly totalHits: number;
  readonly facetDistribution: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** An index of its own with these settings and documents; the text is sent as it is. */
async function indexOf(settings: object, documents: readonly Document[] | string): Promise<string> {
  indexCount += 1;
  const uid = `differences-${indexCount}`;
  await server.call('PATCH', `/indexes/${uid}/settings`, settings);
  const body = typeof documents === 'string' ? documents : JSON.stringify(documents);
  await server.call('POST', `/indexes/${uid}/documents?primaryKey=id`, body, { 'content-type': 'application/json' });
  await server.allTasksDone();
  return uid;
}

async function search(uid: string, request: object): Promise<Answer> {
  const { status, body } = await server.call<Answer>('POST', `/indexes/${uid}/search`, request);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

/** Ids of the hits of a query, in the order of the ids. */
async function idsOf(uid: string, request: object): Promise<number[]> {
  return (await search(uid, request)).hits.map(({ id }) => id as number).sort((left, right) => left - right);
}

/** Documents 1, 2, ... with these texts. */
const texts = (...list: readonly string[]): Document[] => list.map((text, at) => ({ id: at + 1, text }));

/** By the first cell of a row. */
const CASES: Readonly<Record<string, () => Promise<void>>> = {
  'mark-up': async () => {
    const uid = await indexOf({}, texts('<p>Needle in a <b>haystack</b></p>', 'a=b|c'));
    for (const [q, ids] of [
      ['needle', [1]],
      ['haystack', [1]],
      ['c', [2]],
    ] as const)
      expect(await idsOf(uid, { q })).toEqual(ids);
  },
  signs: async () => {
    const uid = await indexOf({}, texts('Nike™ shoes', 'nike socks', 'made with ❤️'));
    for (const q of ['nike', 'Nike™']) expect(await idsOf(uid, { q })).toEqual([1, 2]);
    for (const q of ['❤', '❤️']) expect(await idsOf(uid, { q })).toEqual([3]);
  },
  'forms of characters': async () => {
    const uid = await indexOf({}, texts('ＡＢＣ', 'Henry Ⅷ', 'ｶﾞ'));
    for (const [q, ids] of [
      ['abc', [1]],
      ['viii', [2]],
      ['ガ', [3]],
    ] as const)
      expect(await idsOf(uid, { q })).toEqual(ids);
  },
  'letters with strokes, and accents': async () => {
    const uid = await indexOf({}, texts('Ёлка', 'smørrebrød', 'Straße'));
    for (const [q, ids] of [
      ['елка', [1]],
      ['smorrebrod', [2]],
      ['strasse', [3]],
    ] as const)
      expect(await idsOf(uid, { q })).toEqual(ids);
  },
  'Arabic and Persian letters': async () => {
    const uid = await indexOf({}, texts('كرتون', 'کرتون'));
    for (const q of ['كرتون', 'کرتون']) expect(await idsOf(uid, { q })).toEqual([1, 2]);
  },
  'white space': async () => {
    const uid = await indexOf({}, texts('Jean\u00a0Dupont', 'Anne\u2028Dupont', 'Du\u00adpont'));
    for (const q of ['dupont', '\u00a0dupont']) expect(await idsOf(uid, { q })).toEqual([1, 2, 3]);
  },
  'stop words and dictionary': async () => {
    const uid = await indexOf({ stopWords: ['the'], dictionary: ['C++'] }, texts('c++', 'day', 'c'));
    expect(await idsOf(uid, { q: 'The day' })).toEqual([2]);
    expect(await idsOf(uid, { q: 'c++ ', matchingStrategy: 'all' })).toEqual([1]);
  },
  'phrases with stop words': async () => {
    const uid = await indexOf({ stopWords: ['of', 'the'] }, texts('state of the art', 'art of the state'));
    expect(await idsOf(uid, { q: '"state of the art"' })).toEqual([1]);
    expect(await idsOf(uid, { q: '-"state of the art"' })).toEqual([2]);
  },
  'integers beyond 2^53': async () => {
    const ids = ['4223372036854775805', '4223372036854775806', '4223372036854775807'];
    const lines = ids.map((n, at) => `{"id":${at + 1},"n":${n}}`);
    const uid = await indexOf({ filterableAttributes: ['n'], sortableAttributes: ['n'] }, `[${lines.join()}]`);
    expect(await idsOf(uid, { filter: `n = ${ids[1]}` })).toEqual([2]);
    expect(await idsOf(uid, { filter: `n > ${ids[0]}` })).toEqual([2, 3]);
  },
  'a value as number and as text': async () => {
    const documents = [2020, 2020, '2020', [2020, '2020']].map((y, at) => ({ id: at + 1, y }));
    const uid = await indexOf({ filterableAttributes: ['y'] }, documents);
    expect((await search(uid, { facets: ['y'] })).facetDistribution).toEqual({ y: { 2020: 4 } });
    expect(await idsOf(uid, { filter: 'y = 2020' })).toEqual([1, 2, 3, 4]);
  },
  'numbers of vectors': async () => {
    const embedders = { own: { source: 'userProvided', dimensions: 2 } };
    const uid = await indexOf({ embedders }, '[{"id":1,"_vectors":{"own":[1e39,0]}}]');
    expect((await search(uid, {})).hits).toEqual([]);
    const request = { vector: [1e308, 0], hybrid: { embedder: 'own', semanticRatio: 1 } };
    expect((await server.call('POST', `/indexes/${uid}/search`, request)).status).toBe(400);
  },
  'one faulty task of a batch': async () => {
    const uid = await indexOf({ filterableAttributes: ['_geo'] }, [{ id: 1 }]);
    for (const document of [{ id: 2 }, { id: 3, _geo: 'here' }, { id: 4 }])
      await server.call('POST', `/indexes/${uid}/documents`, [document]);
    await server.allTasksDone();
    expect(await idsOf(uid, {})).toEqual([1, 2, 4]);
  },
  'synonyms of several words': async () => {
    const synonyms = { nyc: ['new york', 'new york city'] };
    const uid = await indexOf({ synonyms }, texts('in new york city today'));
    const { hits } = await search(uid, { q: 'nyc', attributesToHighlight: ['text'] });
    expect(hits[0]!['_formatted']).toMatchObject({ text: 'in <em>new york city</em> today' });
  },
  'pages of a hybrid search': async () => {
    const documents = Array.from({ length: 12 }, (_, at) => ({
      id: at + 1,
      text: at % 2 === 0 ? 'boat' : 'lake',
      _vectors: { own: [Math.cos(at), Math.sin(at)] },
    }));
    const uid = await indexOf({ embedders: { own: { source: 'userProvided', dimensions: 2 } } }, documents);
    const request = { q: 'boat', vector: [1, 0], hybrid: { embedder: 'own', semanticRatio: 0.3 }, limit: 4 };
    const pages = [];
    for (const offset of [0, 4, 8]) pages.push(await search(uid, { ...request, offset }));
    expect(pages.map(({ estimatedTotalHits }) => estimatedTotalHits)).toEqual([12, 12, 12]);
    expect(new Set(pages.flatMap(({ hits }) => hits.map(({ id }) => id))).size).toBe(12);
  },
  'counts above `maxTotalHits`': async () => {
    const uid = await indexOf({ pagination: { maxTotalHits: 2 } }, texts('a', 'b', 'c'));
    expect((await search(uid, {})).estimatedTotalHits).toBe(2);
    expect((await search(uid, { page: 1 })).totalHits).toBe(2);
  },
  '`facets` of an attribute that is not filterable': async () => {
    const uid = await indexOf({ filterableAttributes: ['a'] }, [{ id: 1, a: 'x', b: 'y' }]);
    expect((await search(uid, { facets: ['a', 'b'] })).facetDistribution).toEqual({ a: { x: 1 } });
  },
  '`facetOrder` of a search': async () => {
    const documents = ['b', 'a', 'b'].map((kind, at) => ({ id: at + 1, kind }));
    const uid = await indexOf({ filterableAttributes: ['kind'] }, documents);
    const orderOf = async (request: object): Promise<string[]> =>
      Object.keys((await search(uid, { facets: ['kind'], ...request })).facetDistribution['kind']!);
    expect(await orderOf({})).toEqual(['a', 'b']);
    expect(await orderOf({ facetOrder: 'count' })).toEqual(['b', 'a']);
  },
  '`explain` of a search': async () => {
    const uid = await indexOf({}, texts('a', 'b'));
    expect(await search(uid, { q: 'a', explain: true })).toHaveProperty('plan.queries');
  },
  'unknown routes and methods': async () => {
    const codeOf = async (method: string, path: string): Promise<unknown> =>
      (await server.call<{ readonly code: string }>(method, path)).body.code;
    expect(await codeOf('GET', '/no-such-route')).toBe('route_not_found');
    expect(await codeOf('DELETE', '/health')).toBe('method_not_allowed');
  },
  '`mcpRoute`': async () => {
    const { body } = await server.call<Document>('GET', '/experimental-features');
    expect(body['mcpRoute']).toBe(true);
  },
  '`sampledCount`': async () => {
    const documents = ['b', 'a', 'b'].map((kind, at) => ({ id: at + 1, kind }));
    const faceting = { sortFacetValuesBy: { '*': 'sampledCount' } };
    const uid = await indexOf({ filterableAttributes: ['kind'], faceting }, documents);
    const { facetDistribution } = await search(uid, { facets: ['kind'] });
    expect(Object.entries(facetDistribution['kind']!)).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
  },
};

const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| difference |'))
  .map((line) => line.split(' | ')[0]!.slice(2));

/** Rows about extensions, whose own tests ask. */
const OF_EXTENSIONS = ['keys of chat settings'];

test('each row of the page is asked of a server, and each question has a row', () => {
  expect(Object.keys(CASES)).toEqual(rows.filter((row) => !OF_EXTENSIONS.includes(row)));
});

test.each(Object.entries(CASES))('%s', (_name, ask) => ask());

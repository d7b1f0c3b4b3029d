/**
 * While one hostile request is under way, a search and /health are asked for again and again: none of them waits for longer than the
 * budget. Add a row to `ROWS` for every kind of request that once held up the others.
 */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, test } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { expectHarmless, many, type Row } from './hostile-row.test-support.js';
import { rounds } from './rounds.test-support.js';

const EVERYTHING_FILTERABLE = [
  { attributePatterns: ['*'], features: { facetSearch: true, filter: { equality: true, comparison: true } } },
];

const DOCUMENTS = rounds(6_000, 60_000);
/** Documents of the index `vectored`, with vectors of 8 dimensions, and of `placed`, with places: below the number of a large index. */
const VECTORED_DOCUMENTS = rounds(40_000, 100_000);
const PLACED_DOCUMENTS = rounds(80_000, 150_000);
/** Nearly every document of `vectored` has a better one. */
const ANY_SCORE = 0.01;

const SEARCH = '/indexes/docs/search';
const LARGE_SETTINGS = 'first search with large settings';
const STORED_SETTINGS = 'large settings as they are stored';
/** A name of 50 KB in 10,001 parts, of which every part might be a field of an object. */
const DOTTED_NAME = `${'part.'.repeat(10_000)}end`;
/** Of the index `unique`. */
const UNIQUE_FIELDS = ['a', 'b', 'c', 'd', 'e'];
/** As long and as many as may be. */
const TEN_SCORES = many(10, (i) => ({ score: many(19, (k) => `log(id + ${i + k})`).join(' + '), buckets: 1_000 - i }));
/** Half of a megabyte of members, each with a name of its own, and an escape of a surrogate pair. */
const OWN_NAMES = many(80_000, (i) => `{"\\ud83d\\ude00${i}":1}`).join(',');
/** A vector of 8 dimensions, another one for each id. */
const vectorAt = (id: number): number[] => many(8, (dim) => Math.sin((id * 8 + dim) ** 2));
let askedCount = 0;
/** A number that no request had before, so that its answer is not a kept one. */
const another = (): number => {
  askedCount += 1;
  return askedCount;
};
/** A search by a vector that had no answer before. */
const semantic = (body: object): object => ({
  ...{ vector: vectorAt(-another()), hybrid: { embedder: 'given', semanticRatio: 1 } },
  ...body,
});
/** A filter of areas that are nearly the whole earth. */
function radii(count: number): string {
  const more = another();
  return many(count, (i) => `_geoRadius(${i}, ${i}, ${20_000_000 + more})`).join(' AND ');
}
/** Sorts by distance from points that no request had before. */
function points(count: number): string[] {
  const digits = another();
  return many(count, (i) => `_geoPoint(${i % 80}, ${i % 170}.${digits}):asc`);
}
const search = (name: string, statuses: readonly number[], body: () => unknown): Row => ({
  name,
  path: SEARCH,
  statuses,
  body,
});

const ROWS: readonly Row[] = [
  {
    name: 'facet query of 1 KB',
    path: '/indexes/docs/facet-search',
    statuses: [200],
    body: () => ({ facetName: 'name', facetQuery: 'a'.repeat(1_000) }),
  },
  {
    name: 'facet query that nearly fits',
    path: '/indexes/docs/facet-search',
    statuses: [200],
    body: () => ({ facetName: 'long', facetQuery: `${'word '.repeat(85)}x` }),
  },
  {
    name: 'facet query of 1 MB',
    path: '/indexes/docs/facet-search',
    statuses: [200, 413],
    body: () => ({ facetName: 'name', facetQuery: 'ab'.repeat(500_000) }),
  },
  {
    name: 'facet search of everything',
    path: '/indexes/docs/facet-search',
    statuses: [200],
    body: () => ({ facetName: 'name' }),
  },
  search('filter of 300,000 objects', [400, 413], () => `{"filter":[${'{},'.repeat(300_000)}{}]}`),
  {
    name: 'the same, compressed',
    path: SEARCH,
    statuses: [400, 413],
    headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
    body: () => gzipSync(`{"filter":[${'{},'.repeat(300_000)}{}]}`),
  },
  search('900,000 nested conditions', [400, 413], () => ({
    filter: `(${many(900, () => `(${many(1_000, () => 'n=1').join(' OR ')})`).join(' AND ')})`,
  })),
  search('boolean query of 16 alternatives of many words', [200], () => ({
    q: `(${many(4, (i) => `v${i} ${many(20, (j) => `value${i * j}`).join(' ')}`).join(' OR ')}) (v1 OR v2 OR v3 OR v4)`,
    queryMode: 'boolean',
    maxQueryWords: 32,
    matchingStrategy: 'all',
  })),
  search('boolean query of brackets only', [400], () => ({ q: '('.repeat(1_000_000), queryMode: 'boolean' })),
  search('boolean query with too many alternatives', [400], () => ({
    q: many(3_000, (i) => `v${i}`).join(' OR '),
    queryMode: 'boolean',
  })),
  search('32 words with a hundred weights and many rules', [200, 400], () => ({
    q: many(32, (i) => `v${i}`).join(' '),
    maxQueryWords: 32,
    attributeWeights: Object.fromEntries(many(100, (i) => [i === 0 ? 'name' : `name.${i}`, i])),
    rankingRules: many(1_000, (i) => ['words', 'typo', 'proximity', 'attribute', 'exactness'][i % 5]),
  })),
  ...[200_000, 1_000_000].map((count) =>
    search(`${count} words of typoTolerance`, [400], () => ({
      q: 'v',
      typoTolerance: { disableOnWords: many(count, (i) => `v${i}`) },
    })),
  ),
  {
    name: 'a member that is ignored, of a million words',
    path: '/indexes/docs/facet-search',
    statuses: [200],
    body: () => ({ facetName: 'name', other: many(1_000_000, (i) => `v${i}`) }),
  },
  search('20,000 conditions in arrays', [200, 400], () => ({
    filter: many(13, (i) => many(1_500, (j) => `n = ${i * j}`)),
  })),
  ...['_geoRadius', '_geoBoundingBox'].map((name) => ({
    name: `similar documents within 3,000 ${name}`,
    path: '/indexes/near/similar',
    statuses: [200, 400],
    body: () => ({
      id: 1,
      embedder: 'given',
      filter: many(3_000, (i) =>
        name === '_geoRadius'
          ? `_geoRadius(${i % 80}, ${i % 170}, 5000000)`
          : `_geoBoundingBox([80, 170], [${i % 70}, 1])`,
      ).join(name === '_geoRadius' ? ' OR ' : ' AND '),
    }),
  })),
  ...[
    { name: 'ten parts of every word', body: { q: many(10, (i) => 'name'.slice(i % 2, 3 + (i % 2))).join(' ') } },
    {
      name: '1,000 CONTAINS of one letter or more',
      body: { filter: many(1_000, (i) => `${UNIQUE_FIELDS[i % 5]} CONTAINS "${i < 10 ? i : i * 7}"`).join(' OR ') },
    },
  ].map(({ name, body }) => ({
    name: `trigrams: ${name}`,
    path: '/indexes/unique/search',
    statuses: [200],
    body: () => body,
  })),
  ...[
    { name: 'with a threshold', body: { rankingScoreThreshold: ANY_SCORE } },
    { name: 'far from the start', body: { offset: VECTORED_DOCUMENTS - 10 } },
  ].map(({ name, body }) => ({
    name: `a semantic search ${name}`,
    path: '/indexes/vectored/search',
    statuses: [200],
    body: () => semantic({ limit: 1, ...body }),
  })),
  {
    name: 'a federated semantic search with a threshold',
    path: '/multi-search',
    statuses: [200],
    body: () => ({
      federation: { limit: 1 },
      queries: many(4, () => semantic({ indexUid: 'vectored', rankingScoreThreshold: ANY_SCORE })),
    }),
  },
  {
    name: 'similar documents with a threshold',
    path: '/indexes/vectored/similar',
    statuses: [200],
    body: () => ({ id: 5, embedder: 'given', limit: 1, rankingScoreThreshold: ANY_SCORE }),
  },
  ...[
    { name: '30 radii', body: () => ({ filter: radii(30) }) },
    { name: '1,000 points', body: () => ({ sort: points(1_000), limit: 1_000 }) },
    { name: 'three points', body: () => ({ sort: points(3), limit: 1_000 }) },
  ].map(({ name, body }) => ({
    name: `places: ${name}`,
    path: '/indexes/placed/search',
    statuses: [200, 400],
    body,
  })),
  search('500 CONTAINS', [200], () => ({
    filter: many(500, (i) => `name CONTAINS "${(i * 7919).toString(36)}x"`).join(' OR '),
  })),
  search('IN of 200,000 values', [200, 400, 413], () => ({
    filter: `name IN [${many(200_000, (i) => `v${i}`).join(',')}]`,
  })),
  ...[{}, { federation: {} }].map((more) => ({
    name: `multi-search of three long filters ${Object.keys(more).join()}`,
    path: '/multi-search',
    statuses: [200, 400],
    body: () => ({
      ...more,
      queries: many(3, () => ({ indexUid: 'docs', filter: `n IN [${many(400_000, (i) => i).join(',')}]` })),
    }),
  })),
  search('10,000 nested parentheses', [400], () => ({ filter: `${'('.repeat(10_000)}n=1${')'.repeat(10_000)}` })),
  {
    name: 'a tool that is given 4 MB of documents',
    path: '/mcp',
    statuses: [200],
    body: () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'addDocuments',
        // without ids, so that nothing is indexed
        arguments: { indexUid: 'tooled', documents: many(70_000, (i) => ({ price: `${i}.0`, note: 'of a model' })) },
      },
    }),
  },
  {
    name: 'a tool that is given 3 MB of documents with names of their own',
    path: '/mcp',
    statuses: [200],
    body: () =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"addDocuments","arguments":{"indexUid":"tooled","documents":[${OWN_NAMES}]}}}`,
  },
  {
    name: 'a message of 3 MB that is no call of a tool',
    path: '/mcp',
    statuses: [413],
    body: () => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"other":[${OWN_NAMES}]}}`,
  },
  {
    name: 'a tool that is asked for all documents',
    path: '/mcp',
    statuses: [200],
    body: () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'fetchDocuments', arguments: { indexUid: 'docs', limit: 150_000 } },
    }),
  },
  {
    name: 'documents with 60,000 fields',
    path: '/indexes/docs/documents/fetch',
    statuses: [200],
    body: () => ({ fields: many(60_000, (i) => `f${i}.g`), limit: 1_000 }),
  },
  {
    name: 'documents with 150,000 fields',
    path: '/indexes/docs/documents/fetch',
    statuses: [400, 413],
    body: () => ({ fields: many(150_000, (i) => `f${i}`) }),
  },
  {
    name: 'all documents, sorted',
    path: '/indexes/docs/documents/fetch',
    statuses: [200],
    body: () => ({ limit: 150_000, sort: ['name:desc', 'n:asc'] }),
  },
  {
    name: 'documents by 50,000 ids',
    path: '/indexes/docs/documents/fetch',
    statuses: [200],
    body: () => ({ ids: many(50_000, (i) => i), limit: 50_000 }),
  },
  {
    name: `multi-search of ${rounds(500, 10_000)} queries`,
    path: '/multi-search',
    statuses: [200, 413],
    body: () => ({ queries: many(rounds(500, 10_000), (i) => ({ indexUid: 'docs', q: `v${i}` })) }),
  },
  {
    name: `federated search of ${rounds(300, 1_000)} queries`,
    path: '/multi-search',
    statuses: [200, 413],
    body: () => ({ federation: {}, queries: many(rounds(300, 1_000), (i) => ({ indexUid: 'docs', q: `v${i}` })) }),
  },
  {
    name: 'facets of 20,000 indexes',
    path: '/multi-search',
    statuses: [400, 413],
    body: () => ({
      federation: { facetsByIndex: Object.fromEntries(many(20_000, (i) => [`i${i}`, []])) },
      queries: [],
    }),
  },
  {
    name: 'federated search of 900 queries with an offset',
    path: '/multi-search',
    statuses: [200, 413],
    body: () => ({
      federation: { offset: 10_000, limit: 1_000 },
      queries: many(900, () => ({ indexUid: 'unique', q: 'name', federationOptions: { weight: 1e300 } })),
    }),
  },
  // each document has a value of its own in each field, and all are shown
  { name: 'facets of unique values', path: '/indexes/unique/search', statuses: [200], body: () => ({ facets: ['*'] }) },
  {
    name: 'facets of unique values in a multi-search',
    path: '/multi-search',
    statuses: [200],
    body: () => ({ queries: many(3, () => ({ indexUid: 'unique', facets: UNIQUE_FIELDS, limit: 0 })) }),
  },
  {
    name: 'facets of unique values in a federated search',
    path: '/multi-search',
    statuses: [200],
    body: () => ({ federation: { facetsByIndex: { unique: UNIQUE_FIELDS } }, queries: [{ indexUid: 'unique' }] }),
  },
  ...['x', ''].map((letter) => ({
    name: `deletion of 900,000 ids like ${letter}1`,
    path: '/indexes/unique/documents/delete-batch',
    statuses: [202],
    body: () => `[${many(900_000, (i) => (letter === '' ? i + 1_000_000 : `"${letter}${i}"`)).join(',')}]`,
  })),
  { name: 'tasks with such deletions', method: 'GET', path: '/tasks?limit=20', statuses: [200], body: () => '' },
  {
    name: 'deletion of a few very long ids',
    path: '/indexes/unique/documents/delete-batch',
    statuses: [202],
    body: () => many(20, (i) => `${'long'.repeat(100_000)}${i}`),
  },
  search('100 groups of all documents', [200], () => ({ group: { by: 'n', limit: 10 }, limit: 100 })),
  search('20 sums by 100 values with 10,000 buckets', [200, 400], () => ({
    aggregations: Object.fromEntries(
      many(20, (i) => [i === 0 ? 'n' : `n${i}`, { histogram: { interval: 1 }, by: 'name' }]),
    ),
  })),
  search('a sum by every name', [200, 400], () => ({ aggregations: { n: { stats: ['sum'], by: 'name' } } })),
  search('10,000 sums', [400], () => ({ aggregations: Object.fromEntries(many(10_000, (i) => [`a${i}`, {}])) })),
  search('steps of levels below the root, and below a path', [200], () => ({ facetLevels: { path: {}, name: {} } })),
  search('steps below a path of 1 MB', [200, 413], () => ({
    facetLevels: { path: { under: 'a > '.repeat(250_000) } },
  })),
  search('steps of 100,000 attributes', [400, 413], () => ({
    facetLevels: Object.fromEntries(many(100_000, (i) => [`a${i}`, {}])),
  })),
  search('300 UNDER', [200, 400], () => ({
    filter: many(300, (i) => `NOT path UNDER "a${i % 10} > b${i % 100}"`).join(' OR '),
  })),
  search('one condition on the elements of all documents', [200, 400], () => ({ filter: 'parts[name != x]' })),
  search('1,000 conditions on elements', [200, 400], () => ({
    filter: many(1_000, (i) => `parts[name = p${i % 7} AND size > ${i % 9}]`).join(' OR '),
  })),
  search('an element with 100,000 conditions', [200, 400, 413], () => ({
    filter: `parts[${many(100_000, (i) => `size = ${i}`).join(' OR ')}]`,
  })),
  search('nested brackets in an element', [400], () => ({
    filter: `parts[${'('.repeat(100_000)}size = 1${')'.repeat(100_000)}]`,
  })),
  search('ten scores of all documents', [200], () => ({
    rankingRules: many(10, (i) => ({ score: `log(1 + n) * pow(n, ${i}) + decay(n, 30d)`, buckets: 1_000 })),
  })),
  search('ten scores as long as may be', [200], () => ({ rankingRules: TEN_SCORES, limit: 1_000 })),
  search('such scores within each of 100 groups', [200], () => ({
    rankingRules: TEN_SCORES,
    group: { by: 'n', limit: 10 },
    limit: 100,
  })),
  search('such scores and sums by every name', [200], () => ({
    rankingRules: TEN_SCORES,
    aggregations: Object.fromEntries(many(20, (i) => [i === 0 ? 'n' : `n${i}`, { by: 'name' }])),
  })),
  {
    name: 'such scores in a federated search',
    path: '/multi-search',
    statuses: [200],
    body: () => ({ federation: {}, queries: many(4, () => ({ indexUid: 'docs', rankingRules: TEN_SCORES })) }),
  },
  { name: 'an index with such scores', path: '/indexes/near/search', statuses: [200], body: () => ({ limit: 1_000 }) },
  search('a score with too many terms', [400], () => ({
    rankingRules: [{ score: many(99, (i) => `n+${i}`).join('+') }],
  })),
  search('scores of 1 MB', [400, 413], () => ({ rankingRules: [{ score: `${'1 + '.repeat(250_000)}n` }] })),
  search('10,000 scores', [400], () => ({ rankingRules: many(10_000, (i) => ({ score: `n + ${i}` })) })),
  search('a score of brackets', [400, 413], () => ({
    rankingRules: [{ score: `${'('.repeat(400)}n${')'.repeat(400)}` }],
  })),
  search('exact counts of distinct names', [200], () => ({
    distinct: 'name',
    exactDistinctCounts: true,
    facets: ['n'],
  })),
  search('q of 1 MB', [200, 413], () => ({ q: 'what a long query '.repeat(60_000) })),
  search('q of one word of 1 MB', [200, 413], () => ({ q: 'x'.repeat(1_000_000) })),
  search('q of German compounds', [200], () => ({
    q: 'donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(800),
    locales: ['deu'],
  })),
  search('vector of 300,000 numbers', [400, 413], () => ({
    vector: many(300_000, () => 0.5),
    hybrid: { embedder: 'none' },
  })),
  ...[
    'attributesToRetrieve',
    'attributesToHighlight',
    'attributesToCrop',
    'attributesToSearchOn',
    'sort',
    'facets',
    'locales',
  ].flatMap((name) => [
    search(`${name} of 100,000 names`, [400, 413], () => ({
      [name]: many(100_000, (i) => (name === 'locales' ? 'eng' : `a${i}:asc`)),
    })),
  ]),
  ...['attributesToRetrieve', 'attributesToHighlight', 'facets'].map((name) =>
    search(`${name} of 9,000 names`, [200], () => ({ [name]: many(9_000, (i) => `a${i}`) })),
  ),
  ...['facets', 'attributesToRetrieve', 'attributesToHighlight', 'attributesToCrop', 'attributesToSearchOn'].map(
    (name) => search(`${name} of a dotted name`, [200, 400], () => ({ [name]: [DOTTED_NAME, `${DOTTED_NAME}.*`] })),
  ),
  search('sort by a dotted name', [200, 400], () => ({ sort: [`${DOTTED_NAME}:asc`] })),
  search('distinct by a dotted name', [200, 400], () => ({ distinct: DOTTED_NAME })),
  search('filter by dotted names', [200, 400], () => ({
    filter: many(20, (i) => `${DOTTED_NAME}${i} = 1`).join(' OR '),
  })),
  search('100 dotted names to retrieve', [200, 400], () => ({
    attributesToRetrieve: many(100, (i) => `${DOTTED_NAME}${i}`),
    limit: 1_000,
  })),
  {
    name: 'facet search in a dotted name',
    path: '/indexes/docs/facet-search',
    statuses: [200, 400],
    body: () => ({ facetName: DOTTED_NAME, facetQuery: 'a' }),
  },
  {
    name: 'documents with dotted fields, sorted and filtered by them',
    path: '/indexes/docs/documents/fetch',
    statuses: [200, 400],
    body: () => ({ fields: many(100, (i) => `${DOTTED_NAME}${i}`), filter: `${DOTTED_NAME} EXISTS`, limit: 1_000 }),
  },
  {
    name: 'settings of dotted names',
    method: 'PATCH',
    path: '/indexes/dotted/settings',
    statuses: [202, 400],
    body: () => {
      const names = many(20, (i) => `${DOTTED_NAME}${i}`);
      return {
        displayedAttributes: names,
        searchableAttributes: names,
        filterableAttributes: names,
        sortableAttributes: names,
      };
    },
  },
  ...[
    { synonyms: Object.fromEntries(many(60_000, (i) => [`w${i}`, [`w${i + 1}`, `w${i + 2} x y`]])) },
    { stopWords: many(400_000, (i) => `w${i}`) },
    { dictionary: many(20, (i) => `${'long'.repeat(250_000)}${i}`), stopWords: null, synonyms: null },
    { typoTolerance: { disableOnWords: many(300_000, (i) => `w${i}`) }, dictionary: null },
  ].flatMap((settings): Row[] => [
    {
      name: `large settings: ${Object.keys(settings)[0]}`,
      method: 'PATCH',
      path: '/indexes/spoken/settings',
      statuses: [202],
      body: () => settings,
    },
    { name: 'the task of them', method: 'GET', path: '/tasks?limit=1', statuses: [200], body: () => '' },
    { name: 'the batch of them', method: 'GET', path: '/batches?limit=1', statuses: [200], body: () => '' },
    { name: STORED_SETTINGS, method: 'GET', path: '/indexes/spoken/settings', statuses: [200], body: () => '' },
  ]),
  ...[{}, { attributesToHighlight: ['*'] }, { attributesToCrop: ['*'] }, { showMatchesPosition: true }].map((more) => ({
    name: `a document of 90,000 nested objects: ${Object.keys(more).join()}`,
    path: '/indexes/wide/search',
    statuses: [200],
    body: () => ({ q: '', ...more }),
  })),
  {
    name: `one document of ${rounds(24, 90)} MB`,
    path: '/indexes/long/documents',
    statuses: [202],
    // without an id, so that nothing is indexed
    body: () =>
      `[{"text":"${'long '.repeat(rounds(2, 8) * 1_000_000)}","list":[${'{"n":[1.5,true,null]},'.repeat(rounds(600_000, 2_200_000))}0]}]`,
  },
  ...[
    { name: 'lines that are nothing', type: 'application/x-ndjson', body: '3\n'.repeat(rounds(300_000, 20_000_000)) },
    { name: 'braces that open', type: 'application/x-ndjson', body: '{\n'.repeat(rounds(300_000, 20_000_000)) },
    { name: 'blank lines', type: 'application/x-ndjson', body: '\n {}'.repeat(rounds(100_000, 5_000_000)) },
    { name: 'numbers in an array', type: 'application/json', body: `[${'3,'.repeat(rounds(300_000, 20_000_000))}3]` },
    { name: 'rows that are too short', type: 'text/csv', body: `id,a\n${'1\n'.repeat(rounds(40_000, 10_000_000))}` },
  ].map(({ name, type, body }) => ({
    name: `faulty documents that are skipped: ${name}`,
    path: '/indexes/skipped/documents?onDocumentError=skip',
    statuses: [202],
    headers: { 'content-type': type },
    body: () => body,
  })),
  {
    name: 'tasks with their first errors',
    method: 'GET',
    path: '/tasks?limit=20',
    statuses: [200],
    body: () => '',
  },
  // the first search after a change of settings makes them ready
  { name: LARGE_SETTINGS, path: '/indexes/words/search', statuses: [200], body: () => ({ q: 'w1 w2 word' }) },
];

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = newDatabaseFolder();
  server = await startServerProcess(folder, ['--search-threads', '1']);
  await server.call('PATCH', '/experimental-features', { containsFilter: true });
  await server.call('POST', '/indexes', { uid: 'probe', primaryKey: 'id' });
  await server.call(
    'POST',
    '/indexes/probe/documents',
    many(100, (id) => ({ id, name: `probe ${id}` })),
  );
  await server.call('PATCH', '/indexes/docs/settings', {
    filterableAttributes: EVERYTHING_FILTERABLE,
    sortableAttributes: ['name', 'n', 'id'],
    hierarchicalFacets: [{ attribute: 'path' }, { attribute: 'name', separator: 'a' }],
    elementAttributes: ['parts'],
    faceting: { maxValuesPerFacet: 100 },
  });
  const documents = many(DOCUMENTS, (id) => ({
    id,
    name: `v${(id * 7919) % 1_000_003} name`,
    long: `${'word '.repeat(80)}${id}`,
    n: id % 1_000,
    path: `a${id % 10} > b${id % 100} > c${id}`,
    parts: many(3, (i) => ({ name: `p${(id + i) % 7}`, size: (id * i) % 11 })),
  }));
  await server.call('POST', '/indexes/docs/documents', documents);
  await server.call('PATCH', '/indexes/unique/settings', {
    filterableAttributes: UNIQUE_FIELDS,
    substringAttributes: UNIQUE_FIELDS,
    faceting: { maxValuesPerFacet: 100_000 },
  });
  const unique = many(12_000, (id) => ({
    id,
    ...Object.fromEntries(UNIQUE_FIELDS.map((name, i) => [name, `${name}${(id * 7919 + i) % 1_000_003} name`])),
  }));
  await server.call('POST', '/indexes/unique/documents', unique);
  await server.call('PATCH', '/indexes/near/settings', {
    filterableAttributes: ['_geo'],
    rankingRules: TEN_SCORES,
    embedders: { given: { source: 'userProvided', dimensions: 2 } },
  });
  const near = many(6_000, (id) => ({
    id,
    _geo: { lat: id % 90, lng: id % 180 },
    _vectors: { given: [id % 7, 1] },
  }));
  await server.call('POST', '/indexes/near/documents', near);
  await makePlaces();
  const nested = many(300, () => many(300, () => ({ b: { c: { d: 1 } } })));
  await server.call('POST', '/indexes/wide/documents', [{ id: 1, nested }]);
  await server.allTasksDone();
}, 120_000);

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** Indexes of many vectors, and of many places. */
async function makePlaces(): Promise<void> {
  await server.call('PATCH', '/indexes/vectored/settings', {
    embedders: { given: { source: 'userProvided', dimensions: 8 } },
    pagination: { maxTotalHits: VECTORED_DOCUMENTS },
  });
  const vectored = many(VECTORED_DOCUMENTS, (id) => ({ id, _vectors: { given: vectorAt(id) } }));
  await server.call('POST', '/indexes/vectored/documents', vectored);
  await server.call('PATCH', '/indexes/placed/settings', {
    filterableAttributes: ['_geo'],
    sortableAttributes: ['_geo'],
  });
  const placed = many(PLACED_DOCUMENTS, (id) => ({
    id,
    _geo: { lat: (id % 17_900) / 100 - 89, lng: (id % 35_900) / 100 - 179 },
  }));
  await server.call('POST', '/indexes/placed/documents', placed);
}

/** An index of few documents whose settings hold many words. */
async function makeLargeSettings(): Promise<void> {
  const words = many(rounds(30_000, 200_000), (i) => `w${((i * 7919) % 200_003).toString(36)}x`);
  const synonyms = Object.fromEntries(words.slice(0, rounds(10_000, 200_000)).map((word) => [word, [`${word} y`]]));
  await server.call('PATCH', '/indexes/words/settings', { dictionary: words, stopWords: words, synonyms });
  await server.call(
    'POST',
    '/indexes/words/documents',
    many(10, (id) => ({ id, name: `word ${id}` })),
  );
  await server.allTasksDone();
}

/** Without a look at the tasks, whose details are megabytes here. */
async function untilNothingWaits(): Promise<void> {
  const open = '/tasks?statuses=enqueued,processing&limit=0';
  while ((await server.call<{ readonly total: number }>('GET', open)).body.total > 0) await pause(50);
}

test.each(ROWS)('$name', { timeout: 120_000 }, async (row) => {
  if (row.name === LARGE_SETTINGS) await makeLargeSettings();
  if (row.name === STORED_SETTINGS) await untilNothingWaits();
  await expectHarmless(server, row);
});

/** Random requests that only read, drawn from the document of the API, whose members fit an index of films. */
import { OPERATIONS } from '@fossick/api/openapi';
import fc from 'fast-check';
import { valuesOf } from '../openapi/values.test-support.js';

export interface ReadRequest {
  readonly path: string;
  readonly body: unknown;
}
type Members = Readonly<Record<string, unknown>>;
type Draw = (bound: number) => number;

/** The operations that read an index by a body. */
const READING = ['search', 'facetSearch', 'similar', 'multiSearch', 'fetchDocuments'];
const VALUES_EACH = 300;
/** The share of the members of a body that a request has. */
const KEPT_OF_TEN = 3;
const WORDS = ['dark', 'night', 'star', 'wars', 'love', 'sto', 'the', 'of', 'moon lihgt', '"black sea"', 'river -blue'];
const FIELDS = ['title', 'overview', 'genres', 'year', 'rating', 'director'];
const FACETS = ['genres', 'year', 'rating', 'director'];
const FILTERS = [
  'genres = g1',
  'year > 1999 AND genres IN [g2, g3]',
  'rating 2 TO 7 OR NOT director = d4',
  '_geoRadius(10, 20, 2000000)',
];
const RULES = ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness', 'rating:desc'];

/** The settings of the index that the requests fit, and its documents, each longer than the usual. */
export const FILM_SETTINGS = {
  filterableAttributes: [...FACETS, '_geo'],
  sortableAttributes: ['year', 'rating', '_geo'],
  embedders: { given: { source: 'userProvided', dimensions: 4 } },
};
export function filmOf(id: number): object {
  const text = (seed: number, words: number): string =>
    Array.from({ length: words }, (_, at) => {
      const word = WORDS[(seed * 7 + at * at * 3) % WORDS.length]!.replace(/["-]/g, '');
      return at % 3 === 0 ? `${word}${(seed * 31 + at) % 400}` : word;
    }).join(' ');
  return {
    id,
    title: text(id, 4),
    overview: text(id + 5, 40),
    genres: [`g${id % 7}`, `g${id % 11}`],
    year: 1950 + (id % 70),
    rating: (id % 100) / 10,
    director: `d${id % 900}`,
    _geo: { lat: (id % 160) - 80, lng: (id * 7) % 180 },
    _vectors: { given: [Math.sin(id), Math.cos(id), 0.5, 1] },
  };
}

/** A row of such requests; the same one for the same seed. `documentCount`: the ids of the index are below it. */
export function validRequests(seed: number, documentCount: number): () => ReadRequest {
  let state = seed >>> 0 || 1;
  const draw: Draw = (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % bound;
  };
  const pick = <T>(list: readonly T[]): T => list[draw(list.length)]!;
  const some = <T>(list: readonly T[]): T[] => list.filter(() => draw(3) === 0);
  /** What members are instead of values that fit no index. */
  const fitting: Readonly<Record<string, () => unknown>> = {
    q: () => Array.from({ length: 1 + draw(4) }, () => pick(WORDS)).join(' '),
    indexUid: () => 'films',
    id: () => draw(documentCount),
    ids: () => Array.from({ length: draw(40) }, () => draw(documentCount)),
    vector: () => [draw(9), draw(9), 1, 1],
    hybrid: () => ({ embedder: 'given', semanticRatio: draw(11) / 10 }),
    embedder: () => 'given',
    filter: () => pick(FILTERS),
    sort: () => pick([['year:desc'], ['rating:asc', 'year:asc'], ['_geoPoint(4, 5):asc']]),
    distinct: () => pick(FACETS),
    facets: () => pick([['*'], some(FACETS)]),
    facetName: () => pick(['genres', 'director']),
    facetQuery: () => pick(['g', 'd1', 'd45', null]),
    group: () => ({ by: pick(FACETS), limit: 1 + draw(3) }),
    aggregations: () => ({ [pick(['year', 'rating'])]: { stats: ['avg', 'max'], by: pick([null, 'director']) } }),
    facetLevels: () => ({ genres: {} }),
    fields: () => some(FIELDS),
    attributesToRetrieve: () => some(FIELDS),
    attributesToHighlight: () => pick([['*'], some(FIELDS)]),
    attributesToCrop: () => pick([['*'], some(FIELDS)]),
    attributesToSearchOn: () => ['overview', ...some(FIELDS.slice(0, 1))],
    attributeWeights: () => ({ title: 3, overview: 1 }),
    rankingRules: () => [...some(RULES), 'sort', ...(draw(3) === 0 ? [{ score: 'log(1 + rating) * year' }] : [])],
    offset: () => pick([0, 20, 3_000]),
    limit: () => pick([1, 20, 200, 1_000]),
    page: () => 1 + draw(40),
    hitsPerPage: () => pick([5, 100]),
    rankingScoreThreshold: () => draw(10) / 10,
    locales: () => ['eng'],
  };
  /** Members that ask others, or for features that are off. */
  const leftOut = new Set([
    'media',
    'useNetwork',
    'personalize',
    'inlineRule',
    'remote',
    'federationOptions',
    'showPerformanceDetails',
    'requestUid',
  ]);
  const fitted = (value: Members, must: readonly string[]): Members => {
    const names = Object.keys(value).filter(
      (name) => must.includes(name) || (!leftOut.has(name) && draw(10) < KEPT_OF_TEN),
    );
    const body = Object.fromEntries(names.map((name) => [name, (fitting[name] ?? (() => value[name]))()]));
    if (body['vector'] !== undefined) body['hybrid'] = fitting['hybrid']!();
    if (body['group'] !== undefined) delete body['distinct'];
    return body;
  };
  const operations = OPERATIONS.filter(({ id }) => READING.includes(id)).map(({ id, path, body }) => ({
    id,
    path: path.replace('{indexUid}', 'films'),
    values: fc.sample(valuesOf(body!.schema), { seed, numRuns: VALUES_EACH }) as Members[],
  }));
  const search = operations.find(({ id }) => id === 'search')!;
  const query = (): Members => ({ ...fitted({ q: '', ...pick(search.values) }, []), indexUid: 'films' });
  return () => {
    const { id, path, values } = pick(operations);
    if (id !== 'multiSearch') return { path, body: fitted(pick(values), ['facetName', 'id', 'embedder']) };
    const queries = Array.from({ length: 1 + draw(4) }, query);
    if (draw(2) === 0) return { path, body: { queries } };
    // what a federation has for all of its queries
    const ofPage = [
      'offset',
      'limit',
      'page',
      'hitsPerPage',
      'facets',
      'group',
      'aggregations',
      'facetLevels',
      'distinct',
      'exactDistinctCounts',
    ];
    const plain = queries.map((each) =>
      Object.fromEntries(Object.entries(each).filter(([name]) => !ofPage.includes(name))),
    );
    return { path, body: { queries: plain, federation: { limit: pick([20, 300]), offset: pick([0, 100]) } } };
  };
}

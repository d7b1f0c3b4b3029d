/** Boolean queries against a slow model: alternatives written out one by one, each ranked by the oracle, best score first. */

import { MAX_QUERY_ALTERNATIVES, MAX_QUERY_DEPTH, MAX_QUERY_UNITS } from '@fossick/base';
import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { alternativesOf } from '../../query/boolean-query.js';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../../scratch-index.test-support.js';
import { type PlainDocument, plainIndex } from './plain-index.test-support.js';
import { rankPlainly } from './plain-ranker.test-support.js';

const seed = TEST_SEED;

type Tree =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'phrase'; readonly text: string }
  | { readonly kind: 'not'; readonly tree: Tree }
  | { readonly kind: 'and' | 'or'; readonly trees: readonly Tree[] };
interface Choice {
  readonly wanted: readonly string[];
  readonly excluded: readonly string[];
}

const WORDS = ['sun', 'flower', 'sunflower', 'flowers', 'garden', 'gardne', 'snow', 'storm', 'snowstorm'];
const word = fc.constantFrom(...WORDS);
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(word, { minLength: 1, maxLength }).map((words) => words.join(' '));
const documents = fc.array(fc.record({ title: text(3), body: text(6) }), { minLength: 1, maxLength: 10 });
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('word' as const), text: word }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('phrase' as const), text: text(2) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('not' as const), tree: tie('tree') }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom<'and' | 'or'>('and', 'or'),
        trees: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
      }),
    },
  ),
}));

function written(node: Tree): string {
  if (node.kind === 'word') return node.text;
  if (node.kind === 'phrase') return `"${node.text}"`;
  if (node.kind === 'not') return `-${node.tree.kind === 'not' ? `(${written(node.tree)})` : written(node.tree)}`;
  return `(${node.trees.map(written).join(node.kind === 'or' ? ' OR ' : ' ')})`;
}

/** All ways to make the tree true (or false), word by word. */
function choicesOf(node: Tree, isTrue = true): Choice[] {
  if (node.kind === 'not') return choicesOf(node.tree, !isTrue);
  if (node.kind === 'word' || node.kind === 'phrase') {
    const leaf = node.kind === 'phrase' ? `"${node.text}"` : node.text;
    return [isTrue ? { wanted: [leaf], excluded: [] } : { wanted: [], excluded: [leaf] }];
  }
  const parts = node.trees.map((each) => choicesOf(each, isTrue));
  if ((node.kind === 'or') === isTrue) return parts.flat();
  return parts.reduce((left, right) =>
    left.flatMap((a) =>
      right.map((b) => ({ wanted: [...a.wanted, ...b.wanted], excluded: [...a.excluded, ...b.excluded] })),
    ),
  );
}

const RULES = ['words', 'typo', 'proximity', 'attributeRank', 'wordPosition', 'exactness'];

test(`a boolean query finds and ranks what its alternatives find, each document by the best of them (seed ${seed})`, async () => {
  let [withAnswer, severalWays] = [0, 0];
  const property = fc.asyncProperty(
    documents,
    fc.array(tree, { minLength: 10, maxLength: 10 }),
    async (docs, trees) => {
      const withIds: PlainDocument[] = docs.map((each, id) => ({ id, ...each }));
      const index = await openScratchIndex(withIds, { rankingRules: RULES, searchableAttributes: ['title', 'body'] });
      try {
        const plain = plainIndex(withIds, index.settings());
        for (const each of trees) {
          const choices = choicesOf(each);
          if (choices.length > MAX_QUERY_ALTERNATIVES || choices.some(({ wanted }) => wanted.length > 6)) continue;
          const q = `${written(each)} `;
          if (choices.length > 1 && choices.some(({ wanted }) => wanted.length === 0)) {
            expect(() => index.search({ q, queryMode: 'boolean' })).toThrow(/only excluded words/);
            continue;
          }
          const ranked = choices.flatMap(({ wanted, excluded }, choice) => {
            const plainText = [...wanted, ...excluded.map((leaf) => `-${leaf}`)].join(' ');
            const { hits } = rankPlainly(plain, { q: `${plainText} `, strategy: 'all', searchOn: null });
            return hits.map(({ doc, score }, rank) => ({ doc, score, choice, rank }));
          });
          const isEqual = (a: number, b: number): boolean => Math.abs(a - b) <= Number.EPSILON;
          ranked.sort((a, b) =>
            isEqual(a.score, b.score) ? a.choice - b.choice || a.rank - b.rank : b.score - a.score,
          );
          const best = new Map<number, number>();
          for (const { doc, score } of ranked) if (!best.has(doc)) best.set(doc, score);
          const answer = index.search({ q, queryMode: 'boolean', limit: 50, showRankingScore: true });
          expect({ q, found: answer.hits.map(({ id, _rankingScore }) => [id, _rankingScore]) }).toEqual({
            q,
            found: [...best],
          });
          expect(answer).toMatchObject({ estimatedTotalHits: best.size });
          const pages = [0, 2, 4, 6, 8].flatMap((offset) => index.idsOf({ q, queryMode: 'boolean', offset, limit: 2 }));
          expect(pages).toEqual([...best.keys()]);
          withAnswer += best.size > 0 ? 1 : 0;
          severalWays += choices.length > 1 ? 1 : 0;
        }
      } finally {
        await index.close();
      }
    },
  );
  await fc.assert(property, { seed, numRuns: Number(process.env['ORACLE_RUNS'] ?? runsOf(25)), endOnFailure: true });
  expect(withAnswer).toBeGreaterThan(10);
  expect(severalWays).toBeGreaterThan(10);
}, 240_000);

describe('alternativesOf', () => {
  const textsOf = (q: string): string[] => alternativesOf(q).map((each) => [each.text, ...each.excluded].join('|'));

  it('multiplies brackets out in the order of the text', () => {
    expect(textsOf('(a OR b) (c OR "d e") -f')).toEqual(['a c |f', 'a "d e" |f', 'b c |f', 'b "d e" |f']);
    expect(textsOf('-(a b) c')).toEqual(['c|a', 'c|b']);
    expect(textsOf('-(a OR b) c')).toEqual(['c|a|b']);
    expect(textsOf('--a')).toEqual(['a']);
  });

  it('takes what is open at the end as closed, because it is searched while it is typed', () => {
    expect(textsOf('a OR')).toEqual(['a ']);
    expect(textsOf('a OR (b c')).toEqual(['a ', 'b c']);
    expect(textsOf('a "b c')).toEqual(['a "b c" ']);
    expect(textsOf('a () -')).toEqual(['a -']);
    expect(textsOf('')).toEqual([]);
    expect(textsOf('()')).toEqual([]);
  });

  it('knows `OR` only in capitals and as a word', () => {
    expect(textsOf('a or b')).toEqual(['a or b']);
    expect(textsOf('ORB OR b')).toEqual(['ORB ', 'b']);
    expect(textsOf('a "OR" b')).toEqual(['a "OR" b']);
    expect(() => textsOf('OR a')).toThrow(/`OR` at character 1 has nothing in front/);
    expect(() => textsOf('a OR OR b')).toThrow(/character 6/);
    expect(() => textsOf('a) b')).toThrow(/`\)` at character 2 closes no bracket/);
  });

  it('limits depth and size, whatever the text', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}a${')'.repeat(depth)}`;
    expect(textsOf(nested(MAX_QUERY_DEPTH))).toEqual(['a ']);
    expect(() => textsOf(nested(MAX_QUERY_DEPTH + 1))).toThrow(/nested more than/);
    expect(() => textsOf('('.repeat(MAX_QUERY_UNITS))).toThrow(/nested more than/);
    expect(() => textsOf('(a OR b) '.repeat(5))).toThrow(/multiply out to more than/);
    expect(() => textsOf('a OR '.repeat(MAX_QUERY_UNITS / 5))).toThrow(/multiply out to more than/);
    expect(textsOf('-'.repeat(MAX_QUERY_UNITS))).toHaveLength(1);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('(', ')', ' ', 'OR', '"', '-', 'a'), { maxLength: 60 }), (parts) => {
        try {
          expect(alternativesOf(parts.join('')).length).toBeLessThanOrEqual(MAX_QUERY_ALTERNATIVES);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_search_boolean_query' });
        }
      }),
    );
  });
});

describe('a boolean query', () => {
  const films = [
    { id: 1, title: 'Star Wars', year: 1977, genre: 'space' },
    { id: 2, title: 'Star Trek', year: 1979, genre: 'space' },
    { id: 3, title: 'Gone with the Wind', year: 1939, genre: 'love' },
    { id: 4, title: 'The Wind', year: 1928, genre: 'love' },
  ];
  let index: ScratchIndex;
  beforeAll(async () => {
    index = await openScratchIndex(films, {
      filterableAttributes: ['genre'],
      sortableAttributes: ['year'],
      stopWords: ['the'],
    });
  });
  afterAll(() => index.close());
  const ids = (q: string, more: object = {}): unknown[] => index.idsOf({ q, queryMode: 'boolean', ...more });

  it('searches for the last word as a prefix while it is typed', () => {
    expect(ids('gone OR wa')).toEqual([3, 1]);
    expect(ids('gone OR (wa')).toEqual([3, 1]);
    expect(ids('gone OR (wa)')).toEqual([3]);
    expect(ids('(gone OR star) w')).toEqual([3, 1]);
  });

  it('combines with filters, sort, distinct, facets, highlights and thresholds', () => {
    const q = 'star OR wind ';
    expect(ids(q, { filter: 'genre = love' })).toEqual([4, 3]);
    expect(ids(q, { sort: ['year:asc'], rankingRules: ['sort'] })).toEqual([4, 3, 1, 2]);
    expect(ids(q, { distinct: 'genre' })).toHaveLength(2);
    const answer = index.search({ q, queryMode: 'boolean', facets: ['genre'], attributesToHighlight: ['title'] });
    expect(answer.facetDistribution).toEqual({ genre: { love: 2, space: 2 } });
    const marked = answer.hits.map((hit) => (hit['_formatted'] as { title: string }).title);
    expect(marked.filter((title) => /<em>(Star|Wind)<\/em>/.test(title))).toHaveLength(4);
    expect(ids(q, { rankingScoreThreshold: 1 })).toEqual([]);
    expect(index.facetSearch({ facetName: 'genre', q, queryMode: 'boolean' }).facetHits).toHaveLength(2);
  });

  it('is a plain query without operators but for words that may be missing', () => {
    expect(ids('star wind ')).toEqual([]);
    expect(ids('star')).toEqual(index.idsOf({ q: 'star' }));
    expect(ids('-star')).toEqual([3, 4]);
    expect(ids('')).toEqual([1, 2, 3, 4]);
    expect(index.idsOf({ q: 'star OR wind ' })).toEqual([1, 2]);
  });

  it('leaves out alternatives of stop words only', () => {
    expect(ids('the OR star ')).toEqual([1, 2]);
    expect(ids('(the OR gone) -star wind ')).toEqual([4, 3]);
  });

  it('takes part in a federated search', () => {
    const query = { ...DEFAULT_REQUEST, q: 'trek OR gone ', queryMode: 'boolean' as const };
    const { hits } = index.federated([query, { ...DEFAULT_REQUEST, q: 'wind' }]);
    expect(hits.map(({ id }) => id).sort()).toEqual([2, 3, 4]);
  });

  it('has a cached answer of its own', () => {
    const hitsOf = (request: object): string => index.searchText(request).split('"query"')[0]!;
    const plain = hitsOf({ q: 'star OR wind ' });
    expect(hitsOf({ q: 'star OR wind ', queryMode: 'boolean' })).not.toBe(plain);
    expect(hitsOf({ q: 'star OR wind ' })).toBe(plain);
  });
});

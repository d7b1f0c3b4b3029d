/** The setting `substringAttributes`: words that contain a word of the query. */
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const seed = TEST_SEED;

const letters = fc.array(fc.constantFrom('a', 'b', 'ab', 'É', '京'), { minLength: 1, maxLength: 5 });
const word = letters.map((parts) => parts.join(''));

interface Part {
  readonly id: number;
  readonly code: string;
  readonly note: string;
}

/** Texts are one word, because two next to each other are found by both as one. Latin letters are compared without case and accents; a run of another script is a word of its own. */
const wordsOf = (text: string): string[] => text.replaceAll('É', 'e').split(/(?<=京)(?=[^京])|(?<=[^京])(?=京)/);

function scanned(documents: Iterable<Part>, wanted: string): number[] {
  const matches = (text: string, isWithin: boolean): boolean =>
    wordsOf(text).some((each) => each === wanted || (isWithin && [...wanted].length >= 3 && each.includes(wanted)));
  const found = [...documents].filter(({ code, note }) => matches(code, true) || matches(note, false));
  return found.map(({ id }) => id).sort((a, b) => a - b);
}

test(`a word is found in what a scan finds, in new, merged, changed and rebuilt segments (seed ${seed})`, async () => {
  const latin = word.filter((text) => !text.includes('京'));
  const batch = fc.array(fc.tuple(fc.nat(20), word, word), { minLength: 1, maxLength: 8 });
  const property = fc.asyncProperty(
    fc.array(batch, { minLength: 1, maxLength: 6 }),
    fc.array(latin, { minLength: 6, maxLength: 6 }),
    async (batches, queries) => {
      const index = await openScratchIndex([], {
        searchableAttributes: ['code', 'note'],
        substringAttributes: ['code'],
        typoTolerance: { enabled: false },
        prefixSearch: 'disabled',
      });
      try {
        const documents = new Map<number, Part>();
        const check = (): void => {
          for (const query of queries) {
            const found = index.idsOf({ q: query, limit: 100 }).map(Number);
            expect(
              found.sort((a, b) => a - b),
              query,
            ).toEqual(scanned(documents.values(), query.replaceAll('É', 'e')));
          }
        };
        for (const added of batches) {
          const parts = new Map(added.map(([id, code, note]) => [id, { id, code, note }]));
          await index.add([...parts.values()]);
          for (const [id, part] of parts) documents.set(id, part);
        }
        check();
        await index.merge();
        check();
        await index.change({ substringAttributes: null });
        await index.change({ substringAttributes: ['code'] });
        check();
      } finally {
        await index.close();
      }
    },
  );
  await fc.assert(property, { seed, numRuns: 12 });
});

describe('parts', () => {
  let index: ScratchIndex;
  const idsOf = (q: string, more: object = {}): unknown[] => index.idsOf({ q, ...more });

  beforeAll(async () => {
    index = await openScratchIndex(
      [
        { id: 1, code: 'AB-kettle9', note: 'steel' },
        { id: 2, code: 'teakettle', note: 'brass' },
        { id: 3, code: 'kettles', note: 'with a lid' },
        { id: 4, code: 'kettle', note: 'blue' },
        { id: 5, code: 'pan', note: 'for a teakettle' },
        { id: 6, code: 'kxttle', note: 'mistyped' },
        { id: 7, code: 'Ökettlé', note: 'accents', _vectors: { e: [1, 0] } },
      ].map((part) => ({ _vectors: { e: null }, ...part })),
      {
        searchableAttributes: ['code', 'note'],
        filterableAttributes: ['note'],
        substringAttributes: ['code'],
        embedders: { e: { source: 'userProvided', dimensions: 2 } },
      },
    );
  });
  afterAll(() => index.close());

  test('words that contain the query come after exact words, prefixes and typos, and only those of the attribute', () => {
    const found = idsOf('kettle');
    expect(found.slice(0, 4)).toEqual([4, 3, 1, 6]);
    expect(new Set(found.slice(4))).toEqual(new Set([2, 7]));
    expect(idsOf('kettle', { limit: 1, offset: 4 })).toEqual(found.slice(4, 5));
  });

  test('less than three characters are no part; three are, at every place of a word', () => {
    expect(idsOf('tt')).toEqual([]);
    expect(new Set(idsOf('ttl'))).toEqual(new Set([1, 2, 3, 4, 6, 7]));
    expect(new Set(idsOf('tles'))).toEqual(new Set([3]));
    expect(idsOf('eak')).toEqual([2]);
  });

  test('other words of the query and operators are combined with them', () => {
    expect(idsOf('ettl steel', { matchingStrategy: 'all' })).toEqual([1]);
    expect(new Set(idsOf('eak OR lid', { queryMode: 'boolean' }))).toEqual(new Set([2, 3]));
    expect(idsOf('"ettl"')).toEqual([]);
    expect(new Set(idsOf('ettl -steel'))).toEqual(new Set([2, 3, 4, 7]));
    expect(idsOf('eak', { attributesToSearchOn: ['note'] })).toEqual([]);
    expect(idsOf('eak', { attributesToSearchOn: ['code'] })).toEqual([2]);
  });

  test('the part is highlighted, where it is in a word and only in the attribute', () => {
    const shown = (q: string, id: number): unknown => {
      const { hits } = index.search({ q, attributesToHighlight: ['*'], showMatchesPosition: true });
      const hit = hits.find((each) => each.id === id)!;
      const { code, note } = hit['_formatted'] as Record<string, unknown>;
      return [code, note, hit['_matchesPosition']];
    };
    expect(shown('ettl', 2)).toEqual(['teak<em>ettl</em>e', 'brass', { code: [{ start: 4, length: 4 }] }]);
    expect(shown('ettle', 7)).toEqual(['Ök<em>ettlé</em>', 'accents', { code: [{ start: 3, length: 6 }] }]);
    expect(shown('kettle', 3)).toEqual(['<em>kettle</em>s', 'with a lid', { code: [{ start: 0, length: 6 }] }]);
    const { hits } = index.search({ q: 'teakettle', attributesToHighlight: ['note'] });
    expect(hits.find(({ id }) => id === 5)!['_formatted']).toMatchObject({ note: 'for a <em>teakettle</em>' });
  });

  test('federated, hybrid and facet searches find them', () => {
    const query = { ...DEFAULT_REQUEST, q: 'eak' };
    expect(index.federated([query, { ...query, q: 'lid' }]).hits.map(({ id }) => id)).toEqual([3, 2]);
    const { hits } = index.search({ q: 'eak', vector: [1, 0], hybrid: { embedder: 'e', semanticRatio: 0.5 } });
    expect(new Set(hits.slice(0, 2).map(({ id }) => id))).toEqual(new Set([2, 7]));
    const { facetHits } = index.facetSearch({ q: 'ettl', facetName: 'note', facetQuery: 'ste' });
    expect(facetHits).toEqual([{ value: 'steel', count: 1 }]);
  });

  test('scores say how far they are from the word, and a query without them has those it had', async () => {
    const detail = (q: string): unknown => {
      const [hit] = index.search({ q, showRankingScoreDetails: true }).hits;
      return (hit!['_rankingScoreDetails'] as Record<string, unknown>)['typo'];
    };
    expect(detail('eak')).toEqual({ order: 1, typoCount: 3, maxTypoCount: 3, score: 0.25 });
    expect(detail('lid')).toEqual({ order: 1, typoCount: 0, maxTypoCount: 1, score: 1 });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const DOC_COUNT = 700;
const SYLLABLES = ['ba', 'be', 'bi', 'bo', 'ca', 'co', 'da', 'do', 'fa', 'ga', 'la', 'ma'];

/** Words of one to three syllables, so that words are prefixes of others, near others, and others side by side. */
function wordOf(seed: number): string {
  let text = '';
  for (let at = 0, rest = seed; at <= seed % 3; at++, rest = Math.floor(rest / 7)) text += SYLLABLES[rest % 12]!;
  return text;
}

const textOf = (id: number, wordCount: number): string =>
  Array.from({ length: wordCount }, (_, at) => wordOf((id * 31 + at * at * 17 + at * (id % 13)) % 4000)).join(' ');

const documents = Array.from({ length: DOC_COUNT }, (_, id) => ({
  id,
  title: textOf(id, 1 + (id % 4)),
  body: textOf(id + 1, 5 + (id % 25)),
}));

const [one, two, three] = documents[40]!.body.split(' ') as [string, string, string];
const long = documents.flatMap(({ body }) => body.split(' ')).find((word) => word.length === 6)!;

const QUERIES = [
  'b',
  'ba',
  one,
  `${one} b`,
  `${one} ${two} ${three}`,
  `${one}${two}`,
  `"${one} ${two}"`,
  `${one} "${two} ${three}"`,
  `${long.slice(0, 4)}x${long.slice(5)}`,
  `${one} ${long.slice(0, 5)}`,
];

describe('a reader that may keep next to nothing', () => {
  let rich: ScratchIndex;
  let poor: ScratchIndex;
  beforeAll(async () => {
    const patch = { rankingRules: ['words', 'typo', 'proximity', 'attribute', 'exactness'] };
    [rich, poor] = [await openScratchIndex(documents, patch), await openScratchIndex(documents, patch, 1)];
    for (const index of [rich, poor]) await index.add([{ id: 3, title: 'ba be', body: 'bibo' }]);
  });
  afterAll(async () => {
    await rich.close();
    await poor.close();
  });

  test.each(QUERIES)('answers as one that keeps all: %s', (q) => {
    // Twice and more: what is kept grows with the questions.
    for (let times = 0; times < 4; times++) {
      const request = { q, limit: 50 - times, showRankingScore: true };
      const [expected, found] = [rich.search(request), poor.search(request)].map(({ hits }) =>
        hits.map(({ id, _rankingScore }) => [id, _rankingScore]),
      );
      expect(found).toEqual(expected);
      expect(expected!.length).toBeGreaterThan(0);
    }
  });
});

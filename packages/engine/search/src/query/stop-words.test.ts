import { afterEach, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index.close());

const TITLE = 'the hunt of the red fox and a wind of change';

async function shown(q: string, request: object = {}): Promise<[unknown, unknown]> {
  index = await openScratchIndex([{ id: 1, title: TITLE }], { stopWords: ['the', 'of', 'a'] });
  const asked = { q, attributesToHighlight: ['title'], showMatchesPosition: true, ...request };
  const hit = index.search(asked).hits[0]!;
  const places = (hit._matchesPosition as Record<string, { start: number; length: number }[]>).title ?? [];
  const words = places.map(({ start, length }) => TITLE.slice(start, start + length));
  return [(hit._formatted as Record<string, unknown>).title, words];
}

test.each([
  ['the fox', '<em>the</em> hunt of <em>the</em> red <em>fox</em> and a wind of change', ['the', 'the', 'fox']],
  ['of the fox', '<em>the</em> hunt <em>of</em> <em>the</em> red <em>fox</em> and a wind <em>of</em> change', null],
  // nothing but stop words, and none of them a prefix: a search for nothing, all documents, as recorded
  ['the ', TITLE, []],
  [
    '"hunt of the red" fox',
    'the <em>hunt of the red</em> <em>fox</em> and a wind of change',
    ['hunt of the red', 'fox'],
  ],
  // what is left out marks nothing
  ['fox -a', 'the hunt of the red <em>fox</em> and a wind of change', ['fox']],
])('stop words of `%s` are marked and located like other words', async (q, text, words) => {
  const [formatted, found] = await shown(q);
  expect(formatted).toBe(text);
  if (words !== null) expect(found).toEqual(words);
});

test('a text is cropped around other words where there are some', async () => {
  expect((await shown('the wind', { attributesToCrop: ['title'], cropLength: 1 }))[0]).toBe('…<em>wind</em>…');
});

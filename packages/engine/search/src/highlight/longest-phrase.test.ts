import type { SearchRequest } from '@fossick/settings/parameters';
import { afterEach, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index.close());

/** Parts of the only hit's text that are located, and the text as it is marked. */
async function shown(
  text: string,
  synonyms: Record<string, string[]>,
  q: string,
  request: Partial<SearchRequest> = {},
): Promise<{ readonly marked: unknown; readonly located: readonly string[] }> {
  index = await openScratchIndex([{ id: 1, text }], { synonyms, stopWords: ['of'] });
  const [hit] = index.search({ q, attributesToHighlight: ['text'], showMatchesPosition: true, ...request }).hits;
  const places = (hit!._matchesPosition as Record<string, { start: number; length: number }[]>).text ?? [];
  const bytes = Buffer.from(text);
  return {
    marked: (hit!._formatted as Record<string, unknown>).text,
    located: places.map(({ start, length }) => bytes.subarray(start, start + length).toString()),
  };
}

test.each<[string, Record<string, string[]>, string, string]>([
  ['new york city hall', { ny: ['new', 'new york', 'new york city'] }, 'ny', '<new york city> hall'],
  ['new york city hall', { ny: ['new york city', 'new york', 'new'] }, 'ny', '<new york city> hall'],
  ['new york hall', { ny: ['new', 'new york', 'new york city'] }, 'ny', '<new york> hall'],
  ['new hall, new york', { ny: ['new', 'new york', 'new york city'] }, 'ny', '<new> hall, <new york>'],
  ['new new york city', { ny: ['new', 'new york city'] }, 'ny', '<new> <new york city>'],
  ['new-york, city', { ny: ['new', 'new york city'] }, 'ny', '<new-york, city>'],
  ['smart phone case', { phone: ['smart phone', 'smart'] }, 'phone', '<smart phone> case'],
  ['smart phone case', { phone: ['smart phone case', 'smart phone'] }, 'phone case', '<smart phone case>'],
  ['Électro ménager pro', { em: ['electro', 'electro menager'] }, 'em', '<Électro ménager> pro'],
  ['a b c d', { x: ['a'], y: ['a b c'] }, 'x y', '<a b c> d'],
  ['a b c d', { x: ['a b c'], y: ['a b'] }, 'y x', '<a b c> d'],
  ['king of the hill', { k: ['king', 'king of the hill'] }, 'k', '<king of the hill>'],
  ['red fox', { animal: ['red fox'] }, '"red" animal', '<red fox>'],
  ['big apple pie', { ny: ['big apple', 'big'] }, 'ny "big apple pie"', '<big apple pie>'],
  ['sun flower seeds', { s: ['sun', 'sun flower seeds', 'sun flower'] }, 's', '<sun flower seeds>'],
])('of `%s` with %j, `%s` marks %s', async (text, synonyms, q, expected) => {
  const { marked, located } = await shown(text, synonyms, q);
  expect(marked).toBe(expected.replace(/<([^>]*)>/g, '<em>$1</em>'));
  expect(located).toEqual([...expected.matchAll(/<([^>]*)>/g)].map(([, part]) => part));
});

test.each<[number, string]>([
  [3, '…<em>new york city</em>…'],
  [4, '…beside <em>new york city</em>…'],
  [5, '…beside <em>new york city</em> hall…'],
])('a text is cropped around the longest, to %i words', async (cropLength, expected) => {
  const text = 'the new house stands there, and far away it is beside new york city hall and the river';
  const synonyms = { ny: ['new york city', 'new york'] };
  expect((await shown(text, synonyms, 'ny', { attributesToCrop: ['text'], cropLength })).marked).toBe(expected);
});

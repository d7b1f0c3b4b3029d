/** What boolean and plain queries exclude: each word is looked up once, whatever multiplies the query, and their number is bounded. */
import { MAX_EXCLUDED_WORDS } from '@fossick/base';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { Lexicon } from '../query/lexicon.js';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';
import { BitmapPool } from './terms/bitmap-pool.js';

const WORD_COUNT = 700;
const word = (at: number): string => `w${at}`;
/** Document `id` has three words, so each word is in three documents. */
const documents = Array.from({ length: WORD_COUNT }, (_, id) => ({
  id,
  text: [0, 1, 2].map((step) => word((id + step) % WORD_COUNT)).join(' '),
}));
const list = (count: number, write: (at: number) => string, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => write(from + at));
/** Alternatives in brackets. */
const either = (count: number): string => `(${list(count, word).join(' OR ')})`;

let index: ScratchIndex;
beforeAll(async () => {
  index = await openScratchIndex(documents);
});
afterAll(() => index.close());

/** The ids that a query finds, in order, and how many words were looked up for it. */
function found(q: string, more: object = {}): { ids: number[]; lookups: number } {
  const listsOf = vi.spyOn(Lexicon.prototype, 'listsOf');
  const ids = index.idsOf({ q: `${q} `, queryMode: 'boolean', limit: WORD_COUNT, ...more }) as number[];
  const lookups = listsOf.mock.calls.length;
  listsOf.mockRestore();
  return { ids: ids.sort((a, b) => a - b), lookups };
}
/** Documents with any of the words from 0 up, and with none of the others. */
function expected(wanted: number, excluded: readonly number[]): number[] {
  const gone = new Set(excluded.map(word));
  return documents
    .filter(({ text }) => {
      const words = text.split(' ');
      return words.some((each) => Number(each.slice(1)) < wanted) && !words.some((each) => gone.has(each));
    })
    .map(({ id }) => id);
}
const upTo = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);

test.each<[string, string, number, number[], number]>([
  ['words after brackets', `${either(16)} ${list(400, (at) => `-${word(at)}`, 8).join(' ')}`, 16, upTo(8, 400), 400],
  ['words in front', `${list(400, (at) => `-${word(at)}`, 9).join(' ')} ${either(16)}`, 16, upTo(9, 400), 400],
  ['one bracket', `${either(16)} -(${list(400, word, 10).join(' OR ')})`, 16, upTo(10, 400), 400],
  [
    'the same words again',
    `${either(16)} ${list(900, (at) => `-${word(12 + (at % 30))}`).join(' ')}`,
    16,
    upTo(12, 30),
    30,
  ],
  ['two brackets', `(w0 OR w1) (w2 OR w1) ${list(300, (at) => `-${word(at)}`, 3).join(' ')}`, 0, [], 300],
  ['one alternative', `w0 ${list(480, (at) => `-${word(at)}`, 1).join(' ')}`, 1, upTo(1, 480), 480],
  ['phrases of one word', `${either(16)} ${list(300, (at) => `-"${word(at)}"`, 5).join(' ')}`, 16, upTo(5, 300), 300],
  [
    'each alternative its own',
    list(16, (at) => `(${word(at)} ${list(20, (i) => `-w${at * 20 + i}`, 200).join(' ')})`).join(' OR '),
    16,
    [],
    320,
  ],
  ['words that nothing has', `${either(16)} ${list(450, (at) => `-none${at}`).join(' ')}`, 16, [], 450],
  ['minus of minus', `${either(16)} -(-w3 OR ${list(200, word, 20).join(' OR ')})`, 1, [], 200],
  ['only excluded', list(499, (at) => `-${word(at)}`).join(' '), WORD_COUNT, upTo(0, 499), 499],
  ['negated conjunction', `-(w2 w3 w4) ${either(5)} ${list(100, (at) => `-${word(at)}`, 6).join(' ')}`, 0, [], 103],
])('%s: as many lookups as words', (name, q, wanted, excluded, count) => {
  const { ids, lookups } = found(q);
  // those of the alternatives: word, neighbours, splits
  expect(lookups).toBeLessThan(count + 16 * 12);
  if (wanted > 0 && name !== 'minus of minus') expect(ids).toEqual(expected(wanted, excluded));
});

test.each<[string, string]>([
  ['3,000 words and 16 alternatives', `${either(16)} ${list(3_000, (at) => `-${at.toString(36)}`).join(' ')}`],
  ['one alternative', `a ${list(4_000, (at) => `-${at.toString(36)}`).join(' ')}`],
  ['one bracket', `a -(${list(600, word).join(' OR ')})`],
  ['phrases', `a ${list(260, (at) => `-"${word(at)} ${word(at + 1)}"`).join(' ')}`],
  ['two long phrases', `a -"${list(300, word).join(' ')}" -"${list(300, word, 300).join(' ')}"`],
  ['words joined by hyphens', `a ${list(6, (at) => `-${list(90, word, at * 90).join('-')}`).join(' ')}`],
  ['without spaces', `a -一二三四五六七八九十 ${list(600, (at) => `-${String.fromCharCode(0x4e00 + at)}`).join(' ')}`],
  ['only excluded', list(600, (at) => `-${word(at)}`).join(' ')],
  ['each alternative its own', list(16, (at) => `(a ${list(40, (i) => `-w${at * 40 + i}`).join(' ')})`).join(' OR ')],
  ['one more than allowed', `a ${list(MAX_EXCLUDED_WORDS + 1, (at) => `-${word(at)}`).join(' ')}`],
  ['unclosed', `a -(${list(600, word).join(' OR ')}`],
])('too many excluded words are refused: %s', (_name, q) => {
  expect(() => found(q)).toThrow(
    expect.objectContaining({ code: 'invalid_search_boolean_query', message: expect.stringContaining('500 words') }),
  );
});

describe('a plain query', () => {
  const plain = { queryMode: 'plain' };
  it('excludes as many words as its first thousand tokens have', () => {
    const q = list(600, (at) => `-${word(at)}`).join(' ');
    expect(found(q, plain).ids).toEqual(expected(WORD_COUNT, upTo(0, 333)));
  });

  it.each([
    'plain',
    'boolean',
  ])('is refused when what it excludes takes too long, instead of answering in part (%s)', (queryMode) => {
    const { checkTime } = BitmapPool.prototype;
    const check = vi.spyOn(BitmapPool.prototype, 'checkTime').mockImplementation(function (this: BitmapPool) {
      const { deadlineMs } = this;
      if (deadlineMs < Number.POSITIVE_INFINITY) this.deadlineMs = 0;
      try {
        checkTime.call(this);
      } finally {
        this.deadlineMs = deadlineMs;
      }
    });
    try {
      expect(() => found('-"w1 w2" -w5', { queryMode })).toThrow(expect.objectContaining({ code: 'invalid_search_q' }));
    } finally {
      check.mockRestore();
    }
  });
});

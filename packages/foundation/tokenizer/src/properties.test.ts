import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { describe, expect, it } from 'vitest';
import { createTokenizer, type TokenizerOptions } from './index.js';
import { PositionWalk } from './positions.js';

/** Pieces of every script and separators; drawn at random they make texts that nobody would write. */
const BITS = [
  ...[
    'a',
    'Bee',
    'é',
    'e\u0301',
    'Œ',
    'ß',
    'ﬁ',
    '½',
    'İ',
    'ŉ',
    'ȧ\u0323',
    '𝒳',
    'x²',
    'Ⅷ',
    '1',
    '3.5',
    '12',
    '٣',
    '二〇',
  ],
  ...[
    ' ',
    '  ',
    '. ',
    ', ',
    '.',
    ',',
    '!',
    '?;',
    "'",
    '’',
    '…',
    '‼',
    '-',
    '_',
    '|||',
    '$',
    '\n',
    '\t',
    '\u00a0',
    '\u0000',
  ],
  ...['Москва', 'й', 'ΟΔΟΣ', 'ς', 'שלום', 'בְּ', '־', 'السلام', 'ال', 'ي', 'کتاب\u200c', '،', 'दिल्ली', '।', 'თბ', 'ԵՐ'],
  ...[
    'ไทย',
    'โรงเรียน',
    'ฅ',
    '๑',
    'ភ្នំពេញ',
    '៕',
    '។ល។',
    '进击的巨人',
    '國',
    '中华人民共和国',
    '漢字かな',
    'カタカナ',
    'ー',
    '、',
    '。',
  ],
  ...[
    '한국어',
    'ㄱ',
    'ＡＢ',
    '！',
    '😀',
    '👍🏽',
    '\ud83d',
    '\ude00',
    '\u200b',
    '\u00ad',
    '\u200d',
    '\ufe0f',
    '❤\ufe0f',
    '🇫',
    '🇷',
    '™',
    '€',
    '→',
    '★',
    '<b>',
    '㏂',
    'ｶ',
    'ﾞ',
    '①',
    '≠',
    '\u202f',
    'Wissensorganisation',
    'Åska',
    'cat',
    'J. R. R.',
  ],
];
const LOCALES = [
  undefined,
  [],
  ['deu'],
  ['swe'],
  ['jpn'],
  ['cmn'],
  ['pes'],
  ['ara'],
  ['deu', 'eng'],
  ['swe', 'deu'],
  ['cmn', 'jpn'],
];
const OPTIONS: readonly TokenizerOptions[] = [
  {},
  { stopWords: ['a', 'cat', 'é', 'ال'] },
  {
    separatorTokens: ['|||', '||', 'x'],
    nonSeparatorTokens: ['. ', '_', ' ', '。'],
    dictionary: ['J. R. R.', '国际', 'e'],
  },
  { stopWords: ['$', '😀'], nonSeparatorTokens: ['™', '★'] },
  { separatorTokens: ['€', '→→'], dictionary: ['a$'] },
];
const ROUNDS = 400;
const SEED = TEST_SEED;

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Round {
  readonly text: string;
  readonly locales: readonly string[] | undefined;
  readonly tokenizer: ReturnType<typeof createTokenizer>;
  readonly label: string;
}

function* rounds(bits: readonly string[]): Generator<Round> {
  const tokenizers = OPTIONS.map((options) => createTokenizer(options));
  const random = randomFrom(SEED);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  for (let round = 0; round < ROUNDS; round++) {
    const text = Array.from({ length: Math.floor(random() * 12) }, () => pick(bits)).join('');
    const locales = pick(LOCALES);
    const label = `seed ${SEED}, round ${round}: ${JSON.stringify(text)} ${locales?.join('+') ?? 'any'}`;
    yield { text, locales, tokenizer: pick(tokenizers), label };
  }
}

describe('properties of every text', () => {
  it('originals, joined, are the text', () => {
    for (const { text, locales, tokenizer, label } of rounds(BITS)) {
      const tokens = tokenizer.tokenize(text, locales);
      expect(tokens.map(({ start, end }) => text.slice(start, end)).join(''), label).toBe(text);
      for (const { start, end } of tokens) expect(end, label).toBeGreaterThanOrEqual(start);
    }
  });

  it('visitWords is the walk over the tokens, and positions only rise', () => {
    for (const { text, locales, tokenizer, label } of rounds(BITS)) {
      const visited: [string, number, boolean][] = [];
      const counter = tokenizer.visitWords(
        text,
        3,
        (lemma, position, isSymbol) => visited.push([lemma, position, isSymbol]),
        locales,
      );
      const walked: [string, number, boolean][] = [];
      const walk = new PositionWalk(3, (lemma, position, isSymbol) => walked.push([lemma, position, isSymbol]));
      for (const { kind, lemma } of tokenizer.tokenize(text, locales)) if (!walk.take(kind, lemma)) break;
      expect(visited, label).toEqual(walked);
      expect(counter, label).toBe(walk.counter);
      const positions = visited.flatMap(([, position, isSymbol]) => (isSymbol ? [] : [position]));
      expect(
        [...new Set(positions)].sort((left, right) => left - right),
        label,
      ).toEqual(positions);
    }
  });

  it('Latin text, which has a walk of its own, is no other', () => {
    const latin = BITS.filter((bit) =>
      [...bit].every((char) => char < '\u0300' || (char >= '\u2010' && char < '\u2800')),
    );
    for (const { text, tokenizer, label } of rounds(latin)) {
      const visited: [string, number][] = [];
      tokenizer.visitWords(text, 0, (lemma, position) => visited.push([lemma, position]));
      const walked: [string, number][] = [];
      const walk = new PositionWalk(0, (lemma, position) => walked.push([lemma, position]));
      for (const { kind, lemma } of tokenizer.tokenize(text)) if (!walk.take(kind, lemma)) break;
      expect(visited, label).toEqual(walked);
    }
  });

  it('printable ASCII, whose tokens are found in one pass, has the same tokens before another character', () => {
    const ascii = BITS.filter((bit) => [...bit].every((char) => char >= ' ' && char < '\u007f'));
    for (const { text, locales, tokenizer, label } of rounds(ascii)) {
      const tokens = (whole: string): unknown[] =>
        tokenizer
          .tokenize(whole, locales)
          .map(({ kind, lemma, start, end }) => [kind, lemma, start, end])
          .filter(([, , , end]) => Number(end) <= text.length);
      expect(tokens(`${text}\n`), label).toEqual(tokens(text));
    }
  });

  it('the char map covers nothing for nothing, all for all, and never shrinks', () => {
    for (const { text, locales, tokenizer, label } of rounds(BITS)) {
      for (const token of tokenizer.tokenize(text, locales)) {
        const covered = Array.from({ length: token.lemma.length + 1 }, (_, length) =>
          tokenizer.originalLength(text, token, token.lemma.slice(0, length)),
        );
        expect(covered[0], label).toBe(0);
        expect(covered.at(-1), label).toBeLessThanOrEqual(token.end - token.start);
        expect(
          [...covered].sort((left, right) => left - right),
          label,
        ).toEqual(covered);
      }
    }
  });
});

import { describe, expect, it } from 'vitest';
import { createTokenizer, normalizeFacet, normalizeLossy, type TokenizerOptions } from './index.js';

const lemmas = (text: string, options: TokenizerOptions = {}, locales?: readonly string[]): string[] =>
  createTokenizer(options)
    .tokenize(text, locales)
    .map(({ lemma }) => lemma);
const kinds = (text: string, options: TokenizerOptions = {}): string[] =>
  createTokenizer(options)
    .tokenize(text)
    .map(({ kind }) => kind);
const words = (text: string, options: TokenizerOptions = {}): string[] =>
  createTokenizer(options)
    .tokenize(text)
    .filter(({ kind }) => kind === 'word')
    .map(({ lemma }) => lemma);
function positions(text: string, options: TokenizerOptions = {}, counter = 0): Record<string, number> {
  const seen: Record<string, number> = {};
  createTokenizer(options).visitWords(text, counter, (lemma, position) => {
    seen[lemma] = position;
  });
  return seen;
}

describe('cutting', () => {
  it.each([
    ['32.3', ['32', '.', '3']],
    ["can't", ['can', "'", 't']],
    ['snake_case', ['snake', '_', 'case']],
    ['C++', ['c', '+', '+']],
    ['a@b.io', ['a', '@', 'b', '.', 'io']],
    ['$5', ['$', '5']],
    ['a|b', ['a', '|', 'b']],
    ['x=y', ['x', '=', 'y']],
    ['camelCase', ['camelcase']],
    ['Hello, world! ok. Yes', ['hello', ', ', 'world', '!', ' ', 'ok', '. ', 'yes']],
  ])('%s', (text, expected) => {
    expect(lemmas(text)).toEqual(expected);
  });

  it('concatenated originals are the text', () => {
    const text = 'abc 123 где؟ 関西国際空港、Café “x”… 😀 السلام عليكم ภาษาไทย 한국어 İstanbul';
    const tokens = createTokenizer({}).tokenize(text);
    expect(tokens.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  });

  it('tells hard from soft', () => {
    expect(kinds('a. b, c.d,e! f;g?h: i-j')).toEqual([
      'word',
      'hardSeparator',
      'word',
      'hardSeparator',
      'word',
      'softSeparator',
      'word',
      'softSeparator',
      'word',
      'hardSeparator',
      'softSeparator',
      'word',
      'hardSeparator',
      'word',
      'hardSeparator',
      'word',
      'softSeparator',
      'softSeparator',
      'word',
      'softSeparator',
      'word',
    ]);
    expect(kinds('。，！：；')).toEqual([
      'hardSeparator',
      'softSeparator',
      'hardSeparator',
      'softSeparator',
      'hardSeparator',
    ]);
    expect(kinds('a…b')).toEqual(kinds('a...b'));
    expect(kinds('a.\nb.')).toEqual(['word', 'softSeparator', 'softSeparator', 'word', 'softSeparator']);
  });

  it('cuts the Arabic article and the words of scripts without spaces', () => {
    expect(lemmas('السلام عليكم')).toEqual(['ال', 'سلام', ' ', 'عليكم']);
    expect(lemmas('関西国際空港', {}, ['jpn'])).toEqual(['関西', '国際', '空港']);
    expect(lemmas('ภาษาไทย')).toEqual(['ภาษาไทย']);
    expect(lemmas('ฉันไปโรงเรียน')).toEqual(['ฉน', 'ไป', 'โรงเรยน']);
  });

  it('obeys the separators of the settings', () => {
    expect(lemmas('a|||b||c', { separatorTokens: ['|||', '||'] })).toEqual(['a', '|||', 'b', '||', 'c']);
    expect(kinds('a|||b', { separatorTokens: ['|||'] })).toEqual(['word', 'softSeparator', 'word']);
    expect(words('snake_case c#', { nonSeparatorTokens: ['_', '#'] })).toEqual(['snake_case', 'c#']);
    expect(kinds('a. b', { nonSeparatorTokens: ['. '] })).toEqual(['word', 'softSeparator', 'softSeparator', 'word']);
    expect(kinds('a´b', { separatorTokens: ['´'] })).toEqual(['word', 'word', 'word']);
  });

  it('takes dictionary words whole, with no test of their bounds', () => {
    expect(words('J. R. R. Tolkien', { dictionary: ['J. R. R.'] })).toEqual(['j. r. r.', 'tolkien']);
    expect(words('concatenate', { dictionary: ['cat'] })).toEqual(['con', 'cat', 'enate']);
  });
});

describe('normalising', () => {
  it.each([
    ['Léopard', 'leopard'],
    ['Œuvre', 'oeuvre'],
    ['İstanbul', 'istanbul'],
    ['ﬁ', 'fi'],
    ['½', '1⁄2'],
    ['²', '2'],
    ['™', 'tm'],
    ['Straße', 'strasse'],
    ['Đà', 'da'],
    ['ısı', 'isi'],
    ['Ⅷ', 'viii'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ГДЕ', 'где'],
    ['é', 'e'],
    ['أحمد', 'احمد'],
    ['مدرسة', 'مدرسه'],
  ])('%s', (text, expected) => {
    expect(lemmas(text)).toEqual([expected]);
  });

  it('folds kana in Japanese, and traditional characters in Chinese', () => {
    expect(lemmas('カタ').join('')).toBe('かた');
    expect(lemmas('國')).toEqual(lemmas('国'));
  });

  it('keeps Swedish letters when the locale says so', () => {
    expect(lemmas('Åska', {}, ['swe'])).toEqual(['åska']);
    expect(lemmas('Åska')).toEqual(['aska']);
    const emitted: string[] = [];
    createTokenizer({}).visitWords('Åska', 0, (lemma) => emitted.push(lemma), ['sv']);
    expect(emitted).toEqual(['åska']);
  });

  it('normalises whole texts', () => {
    expect(normalizeFacet('  Éa ')).toBe('e\u0301a');
    expect(normalizeLossy('Jane Café-Ø')).toBe('jane cafe-o');
  });

  it('maps a part of a lemma to its original', () => {
    const tokenizer = createTokenizer({});
    const covered = (text: string, prefix: string): string =>
      text.slice(0, tokenizer.originalLength(text, tokenizer.tokenize(text)[0]!, prefix));
    expect(covered('léopard', 'leo')).toBe('léo');
    expect(covered('Œuvre', 'o')).toBe('Œ');
    expect(covered('Břëàḑbôx', 'bread')).toBe('Břëàḑ');
    expect(covered('hello', 'hel')).toBe('hel');
  });
});

describe('positions', () => {
  it('follows the worked example', () => {
    expect(positions("Hello, world! It's 3.5")).toEqual({ hello: 0, world: 8, it: 16, s: 17, '3': 18, '5': 19 });
  });

  it('gives stop words a position and no word', () => {
    expect(positions('the cat', { stopWords: ['the'] })).toEqual({ cat: 1 });
    expect(createTokenizer({ stopWords: ['the'] }).visitWords('cat the', 3, () => {})).toBe(3);
  });

  it('starts at the counter and ends below 65 536', () => {
    expect(positions('red fox', {}, 65_535)).toEqual({ red: 65_535 });
    expect(positions('red', {}, 65_536)).toEqual({});
    expect(positions(`${'x'.repeat(251)} y`)).toEqual({ y: 1 });
  });

  it('is the same on the fast path and on tokens', () => {
    const plain = createTokenizer({});
    // A dictionary word of one letter that begins most texts takes visitWords off the fast path.
    const slow = createTokenizer({
      dictionary: ['𝒳𝒳'],
      stopWords: [],
      separatorTokens: ['a\u0000\u0000', ' \u0000', '.\u0000\u0000\u0000'],
    });
    for (const text of [
      'A bee. Sea, Dee! (é) x.y “quoted” – dash… — 1.5, 2',
      ', . a',
      'ÀB ÇD; ½ ™x ¿qué?',
      "l'été. Où, ça",
    ]) {
      const left: unknown[] = [];
      const right: unknown[] = [];
      expect(plain.visitWords(text, 5, (...word) => left.push(word))).toBe(
        slow.visitWords(text, 5, (...word) => right.push(word)),
      );
      expect(left).toEqual(right);
    }
  });
});

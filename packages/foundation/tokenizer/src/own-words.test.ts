import { expect, test } from 'vitest';
import { createTokenizer, type TokenizerOptions } from './index.js';

/** Each word of the text, stop words in brackets, separators left out. */
function cut(text: string, options: TokenizerOptions, locales?: readonly string[]): string {
  const tokens = createTokenizer(options).tokenize(text, locales);
  expect(tokens.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  return tokens
    .filter(({ kind }) => kind === 'word' || kind === 'stopWord')
    .map(({ kind, lemma }) => (kind === 'stopWord' ? `[${lemma}]` : lemma))
    .join(' ');
}

test.each<[string[], string, string]>([
  [['the'], 'The day, THE night, the dawn', '[the] day [the] night [the] dawn'],
  [['THE'], 'The day the', '[the] day [the]'],
  [['à'], 'a la carte, À la carte', '[a] la carte [a] la carte'],
  [['DÉJÀ'], 'deja de\u0301ja\u0300 Déjà vu', '[deja] [deja] [deja] vu'],
  [['uber'], 'Über uns', '[uber] uns'],
  [['og'], 'og OG Og', '[og] [og] [og]'],
  [['Из'], 'из ИЗ дома', '[из] [из] дома'],
  [['και'], 'ΚΑΙ και Και', '[και] [και] [και]'],
  [['της'], 'ΤΗΣ της Της', '[τησ] [τησ] [τησ]'],
  [['את'], 'אֵת', '[את]'],
  [['में'], 'में', '[में]'],
  [['ـمن'], 'مِن من', '[من] [من]'],
  [['وی'], 'وي', '[وي]'],
  [['ﬁn'], 'FIN fin', '[fin] [fin]'],
  [['és'], 'ES és eso', '[es] [es] eso'],
  [['İle'], 'ile İLE', '[ile] [ile]'],
])('stop words %j in `%s`', (stopWords, text, words) => {
  expect(cut(text, { stopWords })).toBe(words);
});

test('in Swedish, letters of its own stay apart', () => {
  expect(cut('far får FÅR', { stopWords: ['får'] }, ['swe'])).toBe('far [får] [får]');
  expect(cut('far får', { stopWords: ['far'] }, ['swe'])).toBe('[far] får');
});

test.each<[string[], string, string]>([
  [['C++'], 'c++ and C++', 'c++ and c++'],
  [['c++'], 'C++, C + +', 'c++ c'],
  [['J. R. R.'], 'j. r. r. tolkien, J. R. R. Tolkien', 'j. r. r. tolkien j. r. r. tolkien'],
  [['.net'], 'ASP.NET core, .Net', 'asp .net core .net'],
  [['at&t'], 'AT&T, At&t at & t', 'at&t at&t at t'],
  [['Café-Bar'], 'CAFE-BAR cafe\u0301-bar café bar', 'cafe-bar cafe-bar cafe bar'],
  [['u.s.a.'], 'U.S.A. u.s.', 'u.s.a. u s'],
  [['Ё-моё'], 'ё-МОЁ', 'е-мое'],
  [['ΑΒΓ-1'], 'αβγ-1', 'αβγ-1'],
  [['œuf/lait'], 'OEUF/LAIT Œuf/lait', 'oeuf/lait oeuf/lait'],
  [['naïve bayes'], 'Naive Bayes NAÏVE BAYES', 'naive bayes naive bayes'],
  [['x'], 'aXb', 'a x b'],
  [['ÉE'], 'e\u0301e ee éé', 'ee ee ee'],
])('the dictionary %j in `%s`', (dictionary, text, words) => {
  expect(cut(text, { dictionary })).toBe(words);
});

test.each<[TokenizerOptions, string, string]>([
  [{ separatorTokens: ['x'] }, '10x20X30', '10 20 30'],
  [{ separatorTokens: ['&SEP'] }, 'a&sepb&Sepc', 'a b c'],
  [{ separatorTokens: ['br'] }, 'oneBRtwobrthree', 'one two three'],
  [{ separatorTokens: ['È'] }, 'aebÉc', 'a b c'],
  [{ separatorTokens: ['Und'] }, 'rotUNDblau, rotundblau', 'rot blau rot blau'],
  [{ separatorTokens: ['и'] }, 'аИб', 'а б'],
  [{ separatorTokens: ['SEP'], nonSeparatorTokens: ['sep'] }, 'aSEPb', 'asepb'],
  [{ separatorTokens: ['é'], nonSeparatorTokens: ['E'] }, 'aéb', 'aeb'],
  [{ nonSeparatorTokens: ['＃'] }, 'c# sharp', 'c# sharp'],
  [{ nonSeparatorTokens: ['¨'] }, 'a b', 'a b'],
  [{ nonSeparatorTokens: ['\u0301'] }, 'a b', 'a b'],
  [{ separatorTokens: ['\u0301'] }, 'ab', 'ab'],
])('separators of %j in `%s`', (options, text, words) => {
  expect(cut(text, options)).toBe(words);
});

test('many words are found as few are, and marks in any number cost little', () => {
  const dictionary = Array.from({ length: 500 }, (_, at) => `Wörd-${at}+`);
  expect(cut('WORD-17+ word-499+', { dictionary })).toBe('word-17+ word-499+');
  const text = `w${'\u0308'.repeat(200_000)}`.repeat(3);
  expect(createTokenizer({ dictionary }).tokenize(text).length).toBe(1);
});

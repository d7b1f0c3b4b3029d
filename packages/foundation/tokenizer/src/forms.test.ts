import { describe, expect, it } from 'vitest';
import { createTokenizer, type Token, type TokenizerOptions } from './index.js';

const plain = createTokenizer({});
const tokens = (text: string, options?: TokenizerOptions): Token[] =>
  (options === undefined ? plain : createTokenizer(options)).tokenize(text);
const words = (text: string, options?: TokenizerOptions): string[] =>
  tokens(text, options)
    .filter(({ kind, lemma }) => kind === 'word' && lemma !== '')
    .map(({ lemma }) => lemma);
const symbols = (text: string): string[] =>
  tokens(text)
    .filter(({ kind }) => kind === 'symbol')
    .map(({ lemma }) => lemma);
const indexed = (text: string): [string, number][] => {
  const all: [string, number][] = [];
  plain.visitWords(text, 0, (lemma, position) => all.push([lemma, position]));
  return all;
};

describe('mark-up', () => {
  it.each([
    ['<p>Needle in a <b>haystack</b></p>', 'p needle in a b haystack b p'],
    ['<a href="https://x.io/needle">link</a>', 'a href https x io needle link a'],
    ["<img src='cat.png' alt='a cat'/>", 'img src cat png alt a cat'],
    ['needle<br>haystack<br/>hay', 'needle br haystack br hay'],
    ['**bold** _slanted_ ~~struck~~ `code`', 'bold slanted struck code'],
    ['# Title\n> quoted\n\n| cell | other |', 'title quoted cell other'],
    ['[label](https://x.io)', 'label https x io'],
    ['a=b', 'a b'],
    ['x|y', 'x y'],
    ['1<2>3', '1 2 3'],
    ['a^2 ~b', 'a 2 b'],
    ['john<j@x.io>', 'john j x io'],
    ['if (a>=b && c!=d)', 'if a b c d'],
    ['key:"value"', 'key value'],
    ['Жук=<i>жук</i>', 'жук i жук i'],
    ['<b>東京</b>', 'b 東 京 b'],
  ])('%j', (text, expected) => {
    expect(words(text).join(' ')).toBe(expected);
  });

  it('separates unless the settings say otherwise', () => {
    expect(words('a=b x|y', { nonSeparatorTokens: ['='] })).toEqual(['a=b', 'x', 'y']);
    expect(words('$5 €5', { nonSeparatorTokens: ['$'] })).toEqual(['$5', '5']);
  });
});

describe('symbols', () => {
  it.each([
    ['Nike™', 'nike', 'tm'],
    ['™Nike', 'nike', 'tm'],
    ['Acme©®', 'acme', '© ®'],
    ['$100', '100', '$'],
    ['100€', '100', '€'],
    ['₹500', '500', '₹'],
    ['£9.99', '9 99', '£'],
    ['★★Hotel★', 'hotel', '★ ★ ★'],
    ['next→', 'next', '→'],
    ['←back', 'back', '←'],
    ['love❤\ufe0f', 'love', '❤'],
    ['❤love', 'love', '❤'],
    ['party🎉', 'party', '🎉'],
    ['👍🏽ok', 'ok', '👍'],
    ['🇫🇷France', 'france', '🇫🇷'],
    ['👩\u200d🚀Anna', 'anna', '👩 🚀'],
    ['Москва★', 'москва', '★'],
    ['★東京', '東 京', '★'],
    ['20°C', '20 c', '°'],
    ['№5', '5', 'no'],
    ['♥שלום', 'שלום', '♥'],
    ['↑9', '9', '↑'],
  ])('%s is the word %s with %s next to it', (text, word, symbol) => {
    expect(words(text).join(' ')).toBe(word);
    expect(symbols(text).join(' ')).toBe(symbol);
  });

  it.each(['❤', '❤\ufe0f', '\u2764\ufe0e', ' ❤ ', '-❤', '"❤"', '(❤)', 'love ❤ you'])('alone is a word: %j', (text) => {
    expect(words(text)).toContain('❤');
  });

  it('are found with and without joiners, selectors and skin tones', () => {
    for (const text of ['👨\u200d👩\u200d👧', '👨👩👧', '👨🏽\u200d👩🏿\u200d👧\ufe0f'])
      expect(words(text)).toEqual(['👨', '👩', '👧']);
    expect(words('1\ufe0f\u20e3')).toEqual(['1']);
  });

  it('take no position next to a word, and one when they stand alone', () => {
    expect(indexed('Nike™ Air')).toEqual([
      ['nike', 0],
      ['tm', 0],
      ['air', 1],
    ]);
    expect(indexed('I ❤ NY')).toEqual([
      ['i', 0],
      ['❤', 1],
      ['ny', 2],
    ]);
  });
});

describe('compatibility forms', () => {
  it.each([
    ['ＡＢＣ', 'ABC'],
    ['ａｂｃ１２３', 'abc123'],
    ['東京ＡＢＣ', '東京ABC'],
    ['２０２４年３月', '2024年3月'],
    ['한국ＡＢＣ', '한국ABC'],
    ['жＡжＡ', 'жAжA'],
    ['ｶﾞｷﾞｸﾞﾊﾟ', 'ガギグパ'],
    ['ｱｲｳ', 'アイウ'],
    ['ﾌﾟﾛｸﾞﾗﾐﾝｸﾞ入門', 'プログラミング入門'],
    ['か\u3099', 'が'],
    ['Ⅷ', 'VIII'],
    ['Henry ⅷ', 'Henry VIII'],
    ['Ⅷ世', 'VIII世'],
    ['①②', '12'],
    ['第①章', '第1章'],
    ['❷', '2'],
    ['⑫', '12'],
    ['⓬', '12'],
    ['ⓐⓑⓒ', 'abc'],
    ['🅷🅴🅻🅻🅾', 'HELLO'],
    ['x²', 'x2'],
    ['H₂O', 'H2O'],
    ['10⁻³', '10−3'],
    ['ᵃᵇ', 'ab'],
    ['ﬁne oﬃce', 'fine office'],
    ['ǆ ǉ ĳ', 'dž lj ij'],
    ['𝐁𝐨𝐥𝐝 𝓼𝓬𝓻𝓲𝓹𝓽', 'Bold script'],
    ['㎏ ㎡', 'kg m2'],
    ['㍿', '株式会社'],
    ['㌔', 'キロ'],
    ['＜ｂ＞太字＜／ｂ＞', '<b>太字</b>'],
    ['ａ＝ｂ', 'a=b'],
    ['￥１００', '¥100'],
    ['ｅ\u2011mail', 'e-mail'],
    ['㏂', 'a.m.'],
    ['⑴', '(1)'],
    ['wait… what', 'wait... what'],
    ['ﻛﺮﺗﻮﻥ', 'كرتون'],
    ['ﻻ', 'لا'],
    ['ﷲ', 'الله'],
    ['20℃', '20°C'],
  ])('%s is %s', (form, text) => {
    expect(indexed(form)).toEqual(indexed(text));
    expect(indexed(`abc ${form}`)).toEqual(indexed(`abc ${text}`));
    expect(indexed(`${form} жук`)).toEqual(indexed(`${text} жук`));
  });

  it('are one with the words of the settings', () => {
    expect(words('Ｃ＋＋', { dictionary: ['C++'] })).toEqual(['c++']);
    expect(words('C++', { dictionary: ['Ｃ＋＋'] })).toEqual(['c++']);
    expect(words('ＡＢ cd', { stopWords: ['AB'] })).toEqual(['cd']);
  });
});

describe('letters and marks', () => {
  it.each([
    ['Ёлка елка', 'елка елка'],
    ['за\u0301мок', 'замок'],
    ['Strauß STRAUẞ', 'strauss strauss'],
    ['Øresund', 'oresund'],
    ['Łódź', 'lodz'],
    ['Đorđe', 'dorde'],
    ['Ħal', 'hal'],
    ['Ŧ ŧ', 't t'],
    ['ılık', 'ilik'],
    ['Æon Œuvre', 'aeon oeuvre'],
    ['Þór', 'thor'],
    ['Guðrún', 'gudrun'],
    ['ĳs', 'ijs'],
    ['Ŋ', 'n'],
    ['ǿ', 'o'],
    ['Ƶ', 'z'],
    ['ɓɗƙ', 'bdk'],
    ['ΆΈΉ ς', 'αεη σ'],
    ['café ԵՐԵՎԱՆԵՐԵՎԱՆ', 'cafe երեվաներեվան'],
    ['𐐀', '𐐨'],
    ['שָׁלוֹם', 'שלום'],
    ['مَدْرَسَة', 'مدرسه'],
  ])('%s: %s', (text, expected) => {
    expect(words(text).join(' ')).toBe(expected);
  });

  it.each([
    ['й', 'и'],
    ['ў', 'у'],
    ['ї', 'і'],
    ['ѓ', 'г'],
    ['ќ', 'к'],
    ['ґ', 'г'],
    ['कि', 'की'],
    ['कु', 'क'],
    ['কি', 'কী'],
    ['தி', 'தீ'],
    ['が', 'か'],
    ['ぱ', 'は'],
    ['မိ', 'မီ'],
    ['ކަ', 'ކި'],
    ['ə', 'e'],
  ])('%s is not %s', (left, right) => {
    expect(words(left)).not.toEqual(words(right));
    expect(words(`x ${left.normalize('NFD')}`)).toEqual(words(`x ${left}`));
  });
});

describe('Arabic and Persian', () => {
  const spellings = [
    ['كرتون', 'کرتون'],
    ['علي', 'علی'],
    ['على', 'علی'],
    ['كتاب ١٢٣', 'کتاب ۱۲۳'],
    ['٣', '3'],
    ['يك', 'یک'],
    ['خانه\u0654', 'خانۀ'],
  ] as const;
  const neighbours = ['', 'صندوق', 'پنجره', 'گربه', 'ایران', 'ايران', 'لڑکا', 'box', '،', '؟', '۱۲'];

  it.each(spellings)('%s is %s, whatever stands next to it', (arabic, persian) => {
    for (const neighbour of neighbours)
      for (const locales of [undefined, ['ara'], ['pes'], ['ara', 'pes']]) {
        const of = (text: string): string[] => plain.tokenize(text, locales).map(({ lemma }) => lemma);
        expect(of(`${neighbour} ${arabic}`)).toEqual(of(`${neighbour} ${persian}`));
        expect(of(`${neighbour} ${arabic}`).slice(-of(arabic).length)).toEqual(of(arabic));
      }
  });
});

describe('white space', () => {
  it.each([
    '\t',
    '\n',
    '\v',
    '\f',
    '\r',
    ' ',
    '\x85',
    '\xa0',
    '\u1680',
    '\u2000',
    '\u2001',
    '\u2002',
    '\u2003',
    '\u2007',
    '\u2009',
    '\u200a',
    '\u200b',
    '\u2028',
    '\u2029',
    '\u202f',
    '\u205f',
    '\u3000',
  ])('%j separates', (space) => {
    for (const [left, right] of [
      ['Jean', 'Dupont'],
      ['Жан', 'Дюпон'],
      ['5', 'km'],
      ['日本', '東京'],
    ] as const) {
      expect(words(`${left}${space}${right}`)).toEqual(words(`${left} ${right}`));
      expect(words(`${space}${left}${space}`)).toEqual(words(left));
    }
  });

  it.each([
    ['1\xa0000', '1 000'],
    ['1\u202f000\u202f000', '1 000 000'],
    ['12\xa0345 km', '12 345'],
    ['06\xa012\xa034', '06 12 34'],
  ])('%j stays one number', (text, expected) => {
    expect(words(text)[0]).toBe(expected);
  });
});

describe('invisible characters', () => {
  it.each([
    0xad, 0x34f, 0x61c, 0x180e, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a, 0x202e, 0x2060, 0x2063, 0x2066, 0x2069, 0xfe00,
    0xfe0f, 0xfeff, 0xe0041, 0xe0100,
  ])('U+%x is nowhere in a word', (code) => {
    const char = String.fromCodePoint(code);
    for (const word of ['needle', 'жук', '東京', 'नमस्ते', '한국', 'naïve', '42']) {
      const text = [...word].join(char);
      for (const hidden of [`${char}${word}`, `${word}${char}`, `${char}${char}${text}${char}`])
        expect(words(hidden), hidden).toEqual(words(word));
    }
    expect(words(`a${char} b`)).toEqual(['a', 'b']);
    expect(words(char)).toEqual([]);
  });

  it('a non-joiner separates after an Arabic letter', () => {
    expect(words('کتاب\u200cهای')).toEqual(words('کتاب های'));
  });
});

describe('offsets', () => {
  it.each([
    ['nee\u00addle hay', 'needle', 'nee\u00addle', 'nee', 'nee'],
    ['nee\u00addle hay', 'needle', 'nee\u00addle', 'need', 'nee\u00add'],
    ['ＡＢＣ', 'abc', 'ＡＢＣ', 'ab', 'ＡＢ'],
    ['Straße!', 'strasse', 'Straße', 'stras', 'Straß'],
    ['ﾌﾟﾛ', 'ぷろ'.normalize('NFD'), 'ﾌﾟﾛ', 'ぷ'.normalize('NFD'), 'ﾌﾟ'],
    ['x Þór', 'thor', 'Þór', 't', 'Þ'],
    ['a 𝐁𝐨𝐥𝐝', 'bold', '𝐁𝐨𝐥𝐝', 'bo', '𝐁𝐨'],
    ['Ёлка', 'елка', 'Ёлка', 'ел', 'Ёл'],
    ['ки\u0306т', 'ки\u0306т', 'ки\u0306т', 'ки\u0306', 'ки\u0306'],
    ['㌔ x', 'きろ', '㌔', 'き', '㌔'],
    ['㏂', 'a', '㏂', 'a', '㏂'],
    ['love❤\ufe0f!', '❤', '❤\ufe0f', '❤', '❤'],
    ['Nike™', 'tm', '™', 't', '™'],
    ['\ufeffneedle', 'needle', '\ufeffneedle', 'n', '\ufeffn'],
  ])('%s: %s is %s', (text, lemma, original, prefix, covered) => {
    const token = tokens(text).find((each) => each.lemma === lemma)!;
    expect(text.slice(token.start, token.end)).toBe(original);
    expect(text.slice(token.start, token.start + plain.originalLength(text, token, prefix))).toBe(covered);
  });

  it('every word of a plain text has the same offsets between other forms', () => {
    const text = '\u200d①needle… ＡＢ needle㏂ ﬁ needle';
    const found = tokens(text).filter(({ lemma }) => lemma.endsWith('needle'));
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(['\u200d①needle', 'needle']);
  });
});

it('long texts of marks, signs and forms take no longer for each character', () => {
  const pieces = ['ﾊﾞ', 'и\u0306', 'e\u0301', '\u200d', '★', '①', 'ﷺ', '1\u00a0', '👍🏽', '\u0e33', 'ـ', '…', '<'];
  for (const piece of pieces) {
    const text = piece.repeat(50_000);
    plain.visitWords(text, 0, () => undefined);
    expect(plain.tokenize(text).at(-1)!.end, piece).toBe(text.length);
  }
}, 30_000);

import { describe, expect, it } from 'vitest';
import { createTokenizer } from './index.js';

const tokenizer = createTokenizer({});
const words = (text: string, locales?: readonly string[]): string =>
  tokenizer
    .tokenize(text, locales)
    .filter(({ kind, lemma }) => kind === 'word' && lemma !== '')
    .map(({ lemma }) => lemma)
    .join(' ');

/** Each language with its special rules. */
const ROWS: readonly (readonly [language: string, text: string, expected: string, locales?: readonly string[]])[] = [
  ['English', "It's 3.5 o'clock", 'it s 3 5 o clock'],
  ['French', 'L’été, l’Œuvre naïve', 'l ete l oeuvre naive'],
  ['Spanish', '¿Qué? ¡Año!', 'que ano'],
  ['German, unnamed', 'Bahnhofstraße', 'bahnhofstrasse'],
  ['German', 'Wissensorganisation', 'wissens organisation', ['deu']],
  ['German', 'Haustürschlüssel am Apfelbaum', 'haus tur schlussel am apfel baum', ['deu']],
  ['German in capitals', 'APFELBAUM', 'apfelbaum', ['deu']],
  ['German among others', 'Krankenversicherung für Müller', 'kranken versicherung fur muller', ['deu', 'eng']],
  ['English among others', 'software development kit', 'software development kit', ['deu', 'eng']],
  ['Swedish, unnamed', 'Åska över Öland', 'aska over oland'],
  ['Swedish', 'Åska över Öland', 'åska över öland', ['swe']],
  ['Swedish among others', 'Åska över Öland', 'åska över öland', ['swe', 'eng']],
  ['Swedish with other accents', 'café Åre', 'cafe åre', ['swe']],
  ['Turkish', 'İstanbul ISPARTA ısı', 'istanbul isparta isi'],
  ['Vietnamese', 'Đà Nẵng đẹp', 'da nang dep'],
  ['Polish', 'Łódź', 'lodz'],
  ['Russian', 'Ёлка МОСКВА', 'елка москва'],
  ['Ukrainian', 'Київ', 'киі\u0308в'],
  ['Greek', 'ΟΔΥΣΣΕΑΣ Αθήνα λόγος', 'οδυσσεασ αθηνα λογοσ'],
  ['Georgian', 'თბილისი', 'თბილისი'],
  ['Armenian', 'ԵՐԵՎԱՆ', 'երեվան'],
  ['Hebrew', 'בְּרֵאשִׁית צה״ל תל־אביב', 'בראשית צה ל תל אביב'],
  ['Arabic', 'السلام عليكم', 'ال سلام عليكم'],
  ['Arabic forms', 'أحمد الْعَرَبِيَّة كـــتاب مدرسة', 'احمد ال عربيه كتاب مدرسه'],
  ['Arabic, too short for an article', 'ال', 'ال'],
  ['Persian', 'کتاب‌های ۱۲۳', 'كتاب هاي 123'],
  ['Persian by name', 'كتاب علي', 'كتاب علي', ['pes']],
  ['Arabic by name', 'كتاب علي', 'كتاب علي', ['ara']],
  ['Hindi', 'दिल्ली। मुंबई', 'दिल्ली मुंबई'],
  ['Bengali', 'ঢাকা।', 'ঢাকা'],
  ['Amharic', 'አዲስ፡አበባ።', 'አዲስ አበባ'],
  ['Tamil', 'வணக்கம் உலகம்', 'வணக்கம் உலகம்'],
  ['Thai', 'ฉันไปโรงเรียน', 'ฉน ไป โรงเรยน'],
  ['Tibetan next to Thai', 'ไทย ཀོལ་ཀ་ཏ', 'ไทย ཀོལ ཀ ཏ'],
  ['Lao next to Thai', 'ไทย ລາວ', 'ไทย ລາວ'],
  ['Khmer', 'រាជធានីភ្នំពេញ', 'រាជធានី ភ្នំពេញ'],
  ['Chinese', '进击的巨人', '進擊 的 巨人'],
  ['Chinese with numbers', '2024年3月', '2024 年 3 月'],
  ['Japanese', '日本の漫画シリーズであり', '日本の漫画しりーずであり'.normalize('NFKD')],
  [
    'Japanese among others',
    '日本の漫画シリーズであり',
    '日本 の 漫画 しりーず で あり'.normalize('NFKD'),
    ['jpn', 'cmn'],
  ],
  ['Japanese by name', '関西国際空港', '関西 国際 空港', ['jpn']],
  ['Korean', '한국어를 배운다', '한국어를 배운다'.normalize('NFKD')],
  ['Korean by name', '한국어를 배웠습니다', '한국어 를 배웠 습니다'.normalize('NFKD'), ['kor']],
  ['Korean among others', '서울특별시에서 film', '서울 특별시 에서 film'.normalize('NFKD'), ['ko', 'en']],
  ['Korean, where other locales are given', '한국어를', '한국어를'.normalize('NFKD'), ['jpn', 'eng']],
  ['full-width forms', 'ＡＢＣ', 'abc'],
  ['emoji', '😀 ok', '😀 ok'],
];

describe('languages', () => {
  it.each(
    ROWS.map(([language, text, expected, locales]) => ({ language, text, expected, locales })),
  )('$language: $text', ({ text, expected, locales }) => {
    expect(words(text, locales)).toBe(expected);
  });

  it.each([
    ['髮', '发', false],
    ['國', '国', true],
    ['說', '説', true],
    ['发', '發', false],
    ['亜', '亚', true],
    ['云', '雲', false],
    ['后', '後', false],
  ])('%s and %s are one character in Chinese: %s', (left, right, isSame) => {
    expect(words(left, ['cmn']) === words(right, ['cmn'])).toBe(isSame);
  });

  it('takes Arabic and Persian letters for one, whatever stands next to them', () => {
    expect(words('ايران')).toBe('ايران');
    expect(words('ایران')).toBe('ايران');
    expect(words('دولة ایران')).toBe('دوله ايران');
  });

  it('leaves Han characters as they are in Japanese', () => {
    expect(words('國', ['jpn'])).toBe('國');
  });
});

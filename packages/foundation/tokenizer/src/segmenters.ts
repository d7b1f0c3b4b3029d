import { utf8Length } from '@fossick/base';
import type { Script } from './data/script-ranges.js';
import type { AllowList, Language } from './language.js';
import { segmentChinese } from './segmenting/chinese.js';
import { segmentGerman } from './segmenting/german.js';
import { segmentJapanese, segmentKorean } from './segmenting/japanese-korean.js';
import { segmentKhmer, segmentThai } from './segmenting/southeast-asian.js';

/** Cuts a piece between separators into words: returns their UTF-16 lengths in order, which add up to the piece's. */
export type Segment = (piece: string) => readonly number[];

const ARABIC_ARTICLE = /^(?:ال|أل|إل|آل|ٱل)/;
const ARABIC_ARTICLE_LENGTH = 2;
/** A piece this short is one word, whatever it begins with: 4 bytes are two Arabic letters. */
const ARABIC_SHORT_BYTES = 4;

/**
 * The segmenter of a script and language; undefined means one word. Each loads its dictionary when it first cuts, so text
 * in other languages never pays for it. Japanese and Korean are cut only where a locale is given (`allowed`), as in the
 * recorded answers (docs/internals/decisions/languages.md).
 */
export function segmenterOf(
  script: Script,
  language: Language | undefined,
  allowed: AllowList | undefined,
): Segment | undefined {
  switch (script) {
    case 'latin':
      return language === 'deu' ? segmentGerman : undefined;
    case 'cj':
      if (language === 'cmn') return segmentChinese;
      return language === 'jpn' && allowed !== undefined ? segmentJapanese : undefined;
    case 'hangul':
      return allowed?.languages.has('kor') ? segmentKorean : undefined;
    case 'thai':
      return segmentThai;
    case 'khmer':
      return segmentKhmer;
    case 'arabic':
      return allowed === undefined || allowed.languages.has('ara') || allowed.languages.has('pes')
        ? segmentArabic
        : undefined;
    default:
      return undefined;
  }
}

function segmentArabic(piece: string): readonly number[] {
  if (utf8Length(piece) <= ARABIC_SHORT_BYTES || !ARABIC_ARTICLE.test(piece)) return [piece.length];
  return [ARABIC_ARTICLE_LENGTH, piece.length - ARABIC_ARTICLE_LENGTH];
}

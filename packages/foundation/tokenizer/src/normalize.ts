import { CodeSet } from './code-set.js';
import { NONSPACING_MARK_RANGES } from './data/nonspacing-marks.js';
import type { Script } from './data/script-ranges.js';
import { variantOfHan } from './dictionaries/han-variants.js';
import type { Language } from './language.js';

const MARKS = new CodeSet(NONSPACING_MARK_RANGES);
const CASED: ReadonlySet<Script> = new Set<Script>(['latin', 'cyrillic', 'greek', 'georgian', 'armenian']);
const MARKED: ReadonlySet<Script> = new Set<Script>(['hebrew', 'thai', 'arabic', 'latin', 'greek']);
const SWEDISH_PAIR = /[ao]\u0308|a\u030A/gi;
const LATIN_FOLDS: ReadonlyMap<string, string> = new Map([
  ['\u2019', "'"],
  ['\u2018', "'"],
  ['\u201B', "'"],
  ['œ', 'oe'],
  ['Œ', 'oe'],
  ['æ', 'ae'],
  ['Æ', 'ae'],
  ['Ð', 'd'],
  ['Đ', 'd'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['ı', 'i'],
]);
const ARABIC_FOLDS: ReadonlyMap<string, string> = new Map([
  ['\u0640', ''],
  ['أ', 'ا'],
  ['إ', 'ا'],
  ['آ', 'ا'],
  ['ٱ', 'ا'],
  ['ى', 'ي'],
  ['ة', 'ه'],
]);
const PERSIAN_FOLDS: ReadonlyMap<string, string> = new Map([
  ['ي', 'ی'],
  ['ى', 'ی'],
  ['ۀ', 'ی'],
  ['ك', 'ک'],
  ['،', ','],
  ['؟', '?'],
  ['\uFDFC', 'RIAL'],
  ['\u200C', ''],
]);

/**
 * The first three normalizers: compatibility decomposition of each character on its own (marks are not reordered across
 * characters), Swedish recomposition, removal of control characters. Stop words and separators are compared in this
 * form. O(length).
 */
export function decompose(text: string, language: Language | undefined): string {
  if (isPrintableAscii(text)) return text;
  let lemma = '';
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (code >= 0xa0) lemma += char.normalize('NFKD');
    else if (!isDroppedControl(code)) lemma += char;
  }
  return language === 'swe' ? recomposeSwedish(lemma) : lemma;
}

/** The normalizers that depend on the script. `lemma` must come from decompose. O(length). */
export function fold(lemma: string, script: Script, language: Language | undefined): string {
  switch (script) {
    case 'other':
      return lemma;
    case 'latin':
      return isPrintableAscii(lemma) ? lemma.toLowerCase() : foldChars(lemma, script, LATIN_FOLDS);
    case 'greek': {
      const folded = foldChars(lemma, script, undefined);
      return folded.endsWith('ς') ? `${folded.slice(0, -1)}σ` : folded;
    }
    case 'arabic':
      return foldChars(language === 'pes' ? foldPersian(lemma) : lemma, script, ARABIC_FOLDS);
    case 'cj':
      return foldCj(lemma, language);
    default:
      return CASED.has(script) || MARKED.has(script) ? foldChars(lemma, script, undefined) : lemma;
  }
}

/**
 * UTF-16 length of the original covered by the first `lemmaLength` units of its lemma: a partly covered character
 * counts as a whole. O(length of the original).
 */
export function originalLengthOf(
  original: string,
  script: Script,
  language: Language | undefined,
  lemmaLength: number,
): number {
  let normalized = 0;
  let covered = 0;
  for (const char of original) {
    if (normalized >= lemmaLength) break;
    normalized += fold(decompose(char, language), script, language).length;
    covered += char.length;
  }
  return covered;
}

/** All non-lossy normalizers, for any script: the stored form of a stop word. O(length). */
export function normalizeStopWord(word: string): string {
  return foldPersian(decompose(word, 'swe'));
}

/** Whether the first three normalizers leave the text unchanged. */
export function isPrintableAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7e || code < 0x20) return false;
  }
  return true;
}

function isDroppedControl(code: number): boolean {
  if (code >= 0x20 && code < 0x7f) return false;
  return !((code >= 0x09 && code <= 0x0d) || code === 0x85);
}

function recomposeSwedish(lemma: string): string {
  return lemma.replace(SWEDISH_PAIR, (pair) => pair.normalize('NFC'));
}

function foldChars(lemma: string, script: Script, folds: ReadonlyMap<string, string> | undefined): string {
  const dropsMarks = MARKED.has(script);
  const lowers = CASED.has(script);
  let folded = '';
  for (const char of lemma) {
    // Character by character, because lower-casing a whole word would treat its last sigma differently.
    for (const lower of lowers ? char.toLowerCase() : char) {
      if (dropsMarks && MARKS.has(lower.codePointAt(0)!)) continue;
      folded += folds?.get(lower) ?? lower;
    }
  }
  return folded;
}

function foldPersian(lemma: string): string {
  let folded = '';
  for (const char of lemma) {
    const code = char.codePointAt(0)!;
    if (code >= 0x06f0 && code <= 0x06f9) folded += String.fromCharCode(code - 0x06f0 + 0x30);
    else folded += PERSIAN_FOLDS.get(char) ?? char;
  }
  return folded;
}

function foldCj(lemma: string, language: Language | undefined): string {
  let folded = '';
  for (const char of lemma) {
    const code = char.codePointAt(0)!;
    const isKatakana = (code >= 0x30a1 && code <= 0x30f6) || code === 0x30fd || code === 0x30fe;
    if (isKatakana && (language === undefined || language === 'jpn')) folded += String.fromCharCode(code - 0x60);
    else if (language === undefined || language === 'cmn') folded += variantOfHan(char);
    else folded += char;
  }
  return folded;
}

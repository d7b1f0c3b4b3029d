import { CodeSet } from './code-set.js';
import { LATIN_LETTERS, LETTER_MARKS, NONSPACING_MARK_RANGES } from './data/letters.js';
import { variantOfHan } from './dictionaries/han-variants.js';
import type { Language } from './language.js';
import { plainForm } from './plain-text.js';

const MARKS = new CodeSet(NONSPACING_MARK_RANGES);
const FIRST_MARK = '\u0300';
const ASCII_END = 0x80;
const SWEDISH_PAIR = /[ao]\u0308|a\u030A/gi;
/**
 * Letters by what they are folded to, in lower case. Arabic and Persian letters that differ by the keyboard only are one, whatever the
 * language, which a single word does not tell; so are their digits and those of ASCII.
 */
const FOLDS: ReadonlyMap<string, string> = new Map([
  ['\u2019', "'"],
  ['\u2018', "'"],
  ['\u201B', "'"],
  ['ς', 'σ'],
  ['\u0640', ''],
  ['أ', 'ا'],
  ['إ', 'ا'],
  ['آ', 'ا'],
  ['ٱ', 'ا'],
  ['ى', 'ي'],
  ['ی', 'ي'],
  ['ک', 'ك'],
  ['ة', 'ه'],
  ...digitsFrom(0x0660),
  ...digitsFrom(0x06f0),
  ...Object.entries(LATIN_LETTERS).flatMap(([plain, letters]) =>
    [...letters].map((letter) => [letter, plain] as const),
  ),
]);

function digitsFrom(zero: number): (readonly [string, string])[] {
  return Array.from({ length: 10 }, (_, digit) => [String.fromCharCode(zero + digit), String(digit)] as const);
}

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

/**
 * The normalizers that lose something: case, accents, forms of a letter. Each character is folded by itself, whatever stands next to it; only Han
 * characters and kana depend on the language. `lemma` must come from decompose. O(length).
 */
export function fold(lemma: string, language: Language | undefined): string {
  if (isPrintableAscii(lemma)) return lemma.toLowerCase();
  let folded = '';
  // not read from the end of `folded`: that would copy it for each mark
  let last = '';
  for (const char of lemma) {
    const part = foldAfter(last, char, language);
    folded += part;
    if (part !== '') last = part;
  }
  return folded;
}

/**
 * UTF-16 length of the original covered by the first `lemmaLength` units of its lemma: a partly covered character
 * counts as a whole. O(length of the original).
 */
export function originalLengthOf(original: string, language: Language | undefined, lemmaLength: number): number {
  let normalized = 0;
  let covered = 0;
  let last = '';
  for (const char of original) {
    if (normalized >= lemmaLength) break;
    for (const part of decompose(plainForm(char.codePointAt(0)!) ?? char, language)) {
      const folded = foldAfter(last, part, language);
      normalized += folded.length;
      if (folded !== '') last = folded;
    }
    covered += char.length;
  }
  return covered;
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

/** What one character adds to the folded text; `before` ends as that does. */
function foldAfter(before: string, char: string, language: Language | undefined): string {
  const code = char.codePointAt(0)!;
  if (code < ASCII_END) return char.toLowerCase();
  if (isKatakana(code)) return language === undefined || language === 'jpn' ? String.fromCharCode(code - 0x60) : char;
  if (isHan(code)) return language === undefined || language === 'cmn' ? variantOfHan(char) : char;
  let folded = '';
  // Character by character, because lower-casing a whole word would treat its last sigma differently.
  for (const lower of char.toLowerCase()) {
    const isMark = lower >= FIRST_MARK && MARKS.has(lower.codePointAt(0)!);
    if (!isMark) folded += FOLDS.get(lower) ?? lower;
    else if (LETTER_MARKS.has(before.slice(-1) + lower)) folded += lower;
  }
  return folded;
}

function isKatakana(code: number): boolean {
  return (code >= 0x30a1 && code <= 0x30f6) || code === 0x30fd || code === 0x30fe;
}

function isHan(code: number): boolean {
  return (
    (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) || (code >= 0x20000 && code <= 0x3ffff)
  );
}

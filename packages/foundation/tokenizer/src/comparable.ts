/** The form in which words of the settings are compared with texts: without case, accents and forms of compatibility. */
import { CodeSet } from './code-set.js';
import { NONSPACING_MARK_RANGES } from './data/nonspacing-marks.js';
import type { Language } from './language.js';
import { decompose, fold, isPrintableAscii } from './normalize.js';

const MARKS = new CodeSet(NONSPACING_MARK_RANGES);
const FIRST_MARK = 0x300;
/** More marks than this on one character are not of a language. */
const MARKS_MAX = 8;
const CACHE_SIZE = 32_768;
const forms = new Map<string, string>();
const swedishForms = new Map<string, string>();

/**
 * The comparable form of a text, made of those of its characters, so that it does not depend on what stands around it. Letters that
 * Swedish keeps stay where that is the language. O(length).
 */
export function comparableForm(text: string, language?: Language): string {
  if (isPrintableAscii(text)) return text.toLowerCase();
  const isSwedish = language === 'swe';
  const decomposed = isSwedish ? decompose(text, language) : text;
  let form = '';
  for (let at = 0; at < decomposed.length; ) {
    const end = charEnd(decomposed, at, decomposed.length);
    form += comparableChar(decomposed.slice(at, end), isSwedish);
    at = end;
  }
  return form === '' ? text : form;
}

/** The end of the character at `at`, with the marks on it. */
export function charEnd(text: string, at: number, end: number): number {
  let next = at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
  for (let marks = 0; next < end && marks < MARKS_MAX; marks++) {
    const code = text.codePointAt(next)!;
    if (code < FIRST_MARK || !MARKS.has(code)) break;
    next += code > 0xffff ? 2 : 1;
  }
  return next;
}

/** The comparable form of one character with its marks; empty where words are indexed without it. */
export function comparableChar(char: string, isSwedish = false): string {
  const cache = isSwedish ? swedishForms : forms;
  let form = cache.get(char);
  if (form === undefined) {
    const decomposed = decompose(char, isSwedish ? 'swe' : undefined);
    // Han characters stay, as in Japanese: their variants are in a dictionary, which most settings never need
    form = fold(decomposed, isSwedish ? 'swe' : 'jpn');
    // An accent alone decomposes to a space with a mark, and is no space; control characters may be separators.
    if (decomposed === '' || (decomposed.startsWith(' ') && char.trim() !== '')) form = char;
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(char, form);
  }
  return form;
}

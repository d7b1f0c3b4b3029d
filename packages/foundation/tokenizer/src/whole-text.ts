import { allowListOf, detectLanguage } from './language.js';
import { decompose, fold } from './normalize.js';
import { plainTextOf } from './plain-text.js';
import type { NormalizeFacet } from './port.js';
import { dominantScript } from './script.js';

const WHITE_SPACE = /^\p{White_Space}$/u;

/** The normalised form of a facet value: lower case, accents kept. O(length). */
export const normalizeFacet: NormalizeFacet = (text) =>
  OWN_FORM.test(text) ? text : withoutOuterSpace(text).normalize('NFKD').toLowerCase();

/** Values that are their own normalised form, which is most of them: nothing to trim, decompose or fold. */
const OWN_FORM = /^[!-@[-`{-~a-z]*$/;

/** A pattern anchored at the end would be tried at every space of the text: quadratic in a long run of spaces. */
function withoutOuterSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text, start)) start += 1;
  while (end > start && isSpace(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 0x80 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : WHITE_SPACE.test(text[at]!);
}

/**
 * The whole text as one token through every normalizer: the form that facet search compares. Without locales the language is unknown. O(length).
 */
export function normalizeLossy(text: string, locales?: readonly string[]): string {
  const plain = plainTextOf(text, NONE_KEPT) ?? text;
  const allowed = allowListOf(locales);
  const language = allowed && detectLanguage(plain, 0, plain.length, dominantScript(plain, 0, plain.length), allowed);
  return fold(decompose(plain, language), language);
}

const NONE_KEPT: ReadonlySet<number> = new Set();

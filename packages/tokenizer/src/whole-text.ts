import { allowListOf, detectLanguage } from './language.js';
import { decompose, fold } from './normalize.js';
import type { NormalizeFacet } from './port.js';
import { dominantScript } from './script.js';

const WHITE_SPACE = /^\p{White_Space}$/u;

/** The normalised form of a facet value: case goes, accents stay. O(length). */
export const normalizeFacet: NormalizeFacet = (text) =>
  OWN_FORM.test(text) ? text : withoutOuterSpace(text).normalize('NFKD').toLowerCase();

/** Most values by far, so it is worth a look: nothing to trim, to decompose or to fold. */
const OWN_FORM = /^[!-@[-`{-~a-z]*$/;

/** A pattern that ends at the text's end would be tried at every space within it: a long run of them takes its square. */
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
 * The whole text as one token through every normalizer, in the script most of it is written in: what facet search
 * compares.
 * Without locales the language stays unknown. O(length).
 */
export function normalizeLossy(text: string, locales?: readonly string[]): string {
  const script = dominantScript(text, 0, text.length);
  const allowed = allowListOf(locales);
  const language = allowed === undefined ? undefined : detectLanguage(text, 0, text.length, script, allowed);
  return fold(decompose(text, language), script, language);
}

import { allowListOf, detectLanguage } from './language.js';
import { decompose, fold } from './normalize.js';
import type { NormalizeFacet } from './port.js';
import { dominantScript } from './script.js';

const OUTER_WHITE_SPACE = /^[\p{White_Space}]+|[\p{White_Space}]+$/gu;

/** The normalised form of a facet value (spec 12 section 1): case goes, accents stay. O(length). */
export const normalizeFacet: NormalizeFacet = (text) =>
  text.replace(OUTER_WHITE_SPACE, '').normalize('NFKD').toLowerCase();

/**
 * The whole text as one token through every normalizer, in the script most of it is written in: what facet search
 * compares (spec 12 section 8).
 * Without locales the language stays unknown. O(length).
 */
export function normalizeLossy(text: string, locales?: readonly string[]): string {
  const script = dominantScript(text, 0, text.length);
  const allowed = allowListOf(locales);
  const language = allowed === undefined ? undefined : detectLanguage(text, 0, text.length, script, allowed);
  return fold(decompose(text, language), script, language);
}

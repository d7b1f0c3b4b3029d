import { CLASS_BAIL, CLASS_PAIR, CLASS_SYMBOL, CLASS_WORD, symbolsAt } from './char-classes.js';
import type { TokenKind } from './port.js';
import type { QuickWords } from './quick-visit.js';

const SPACE = 0x20;
const PRINTABLE_END = 0x7f;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;

/** Receives a token. */
type TakeToken = (kind: TokenKind, lemma: string, start: number, end: number) => void;

/**
 * All tokens of a text of printable ASCII in one pass; false, after some tokens, when another path must cut it. Such a text is one group
 * of Latin script, or has no letter, and its words fold to their lower case. O(length).
 */
export function quickTokens(text: string, take: TakeToken, { classes, analyze, analyzesAll }: QuickWords): boolean {
  const length = text.length;
  for (let at = 0; at < length; ) {
    const start = at;
    let code = text.charCodeAt(at);
    let hasUpper = false;
    while (code >= SPACE && code < PRINTABLE_END && classes[code] === CLASS_WORD) {
      if (code <= UPPER_Z && code >= UPPER_A) hasUpper = true;
      if (++at === length) break;
      code = text.charCodeAt(at);
    }
    if (at > start) {
      const word = text.slice(start, at);
      if (!analyzesAll) take('word', hasUpper ? word.toLowerCase() : word, start, at);
      else {
        const { kind, lemma } = analyze(word);
        take(kind, lemma, start, at);
      }
      continue;
    }
    if (code < SPACE || code >= PRINTABLE_END || classes[code] === CLASS_BAIL) return false;
    if (classes[code] === CLASS_SYMBOL) {
      const { end, isBesideWord } = symbolsAt(text, at, classes);
      for (; at < end; at++) {
        const { kind, lemma } = analyze(text[at]!);
        take(isBesideWord && kind === 'word' ? 'symbol' : kind, lemma, at, at + 1);
      }
      continue;
    }
    at += classes[code] === CLASS_PAIR && text.charCodeAt(at + 1) === SPACE ? 2 : 1;
    const { kind, lemma } = analyze(text.slice(start, at));
    take(kind, lemma, start, at);
  }
  return true;
}

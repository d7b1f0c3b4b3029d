import { CLASS_HARD, CLASS_PAIR, CLASS_SYMBOL, CLASS_WORD, symbolsAt } from './char-classes.js';
import type { EmitWord, TokenKind } from './port.js';
import { PositionWalk } from './positions.js';

/** Returns kind and lemma of a word that is not printable ASCII, or may be a stop word. */
export type AnalyzeWord = (word: string) => { readonly kind: TokenKind; readonly lemma: string };

/** The parts of a tokenizer that do not depend on the text. */
export interface QuickWords {
  readonly classes: Uint8Array;
  /** Called for symbols, and for words with a character beyond ASCII. */
  readonly analyze: AnalyzeWord;
  /** True: it is called for every word. */
  readonly analyzesAll: boolean;
}

const SPACE = 0x20;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const ASCII_END = 0x80;

/**
 * `visitWords` for texts that pass isQuickText: one pass over the UTF-16 units, without token objects, and with one
 * slice for each word. O(length).
 */
export function quickVisit(
  text: string,
  counter: number,
  emit: EmitWord,
  { classes, analyze, analyzesAll }: QuickWords,
): number {
  const walk = new PositionWalk(counter, emit);
  const length = text.length;
  let at = 0;
  let isFull = false;
  while (at < length && !isFull) {
    let code = text.charCodeAt(at);
    const charClass = classes[code]!;
    if (charClass === CLASS_SYMBOL) {
      const { end, isBesideWord } = symbolsAt(text, at, classes);
      for (; at < end && !isFull; at++) {
        const { kind, lemma } = analyze(text[at]!);
        isFull = !walk.take(isBesideWord && kind === 'word' ? 'symbol' : kind, lemma);
      }
      continue;
    }
    if (charClass !== CLASS_WORD) {
      if (charClass === CLASS_HARD || (charClass === CLASS_PAIR && text.charCodeAt(at + 1) === SPACE)) {
        walk.take('hardSeparator', '');
      }
      // The space of a hard pair is a soft separator, which has no effect, so it needs no step of its own.
      at++;
      continue;
    }
    const start = at;
    let highest = 0;
    let hasUpper = false;
    do {
      highest |= code;
      if (code <= UPPER_Z && code >= UPPER_A) hasUpper = true;
      code = ++at < length ? text.charCodeAt(at) : SPACE;
    } while (at < length && classes[code] === CLASS_WORD);
    const word = text.slice(start, at);
    if (highest < ASCII_END && !analyzesAll) isFull = !walk.take('word', hasUpper ? word.toLowerCase() : word);
    else {
      const { kind, lemma } = analyze(word);
      isFull = !walk.take(kind, lemma);
    }
  }
  return walk.counter;
}

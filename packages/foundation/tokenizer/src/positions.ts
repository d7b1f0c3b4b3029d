import { MAX_WORD_BYTES, utf8Length } from '@fossick/base';
import type { EmitWord, TokenKind } from './port.js';

/** Positions are below this: a word at or after it is not indexed. */
export const POSITION_END = 65_536;
/** Distance of a word to the next one: in the same context, and across a hard separator. */
const STEP_WORD = 1;
export const STEP_CONTEXT = 8;

const BYTES_PER_UNIT_MAX = 3;

/** Assigns positions to the words of one value, token by token. */
export class PositionWalk {
  counter: number;
  private readonly emit: EmitWord;
  private offset: number;
  private step = 0;

  /** @param counter the field's position counter, which advances with every indexed word */
  constructor(counter: number, emit: EmitWord) {
    this.counter = counter;
    this.emit = emit;
    this.offset = counter;
  }

  /** Adds a token; false once the value is full, so that the caller can stop. */
  take(kind: TokenKind, lemma: string): boolean {
    if (kind === 'softSeparator') return true;
    if (kind === 'hardSeparator') {
      // A step of 0 means that there was no word yet: separators before the first word do not count.
      if (this.step !== 0) this.step = STEP_CONTEXT;
      return true;
    }
    if (lemma === '') return true;
    if (kind === 'symbol') {
      this.emit(indexedForm(lemma), this.offset, true);
      return true;
    }
    this.offset += this.step;
    this.step = STEP_WORD;
    if (this.offset >= POSITION_END) return false;
    if (kind === 'word') {
      const word = indexedForm(lemma);
      if (word !== '') {
        this.counter = this.offset;
        this.emit(word, this.offset, false);
      }
    }
    return true;
  }
}

/** The indexed form of a word: trimmed, and empty when it is too long. */
export function indexedForm(lemma: string): string {
  const first = lemma.charCodeAt(0);
  const last = lemma.charCodeAt(lemma.length - 1);
  const word = isPlain(first) && isPlain(last) ? lemma : lemma.trim();
  if (word.length * BYTES_PER_UNIT_MAX <= MAX_WORD_BYTES) return word;
  return utf8Length(word) <= MAX_WORD_BYTES ? word : '';
}

function isPlain(code: number): boolean {
  return code > 0x20 && code < 0x80;
}

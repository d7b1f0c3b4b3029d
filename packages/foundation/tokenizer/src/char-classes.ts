import { CodeSet } from './code-set.js';
import type { Cutter } from './cutter.js';
import { decompose } from './normalize.js';
import { plainForm } from './plain-text.js';
import type { TokenKind } from './port.js';

/** Classes of UTF-16 units for the fast path. */
export const CLASS_WORD = 0;
const CLASS_SOFT = 1;
export const CLASS_HARD = 2;
/** A separator that is hard when a space follows it (`. ` and `, `), else soft. */
export const CLASS_PAIR = 3;
/** Not handled by the fast path. */
export const CLASS_BAIL = 4;
/** A soft separator that the fast path does not handle between two digits. */
const CLASS_GROUPING = 5;

const SPACE = 0x20;
/** Between two digits they group a number, which stays one word. */
export const NO_BREAK_SPACES: readonly number[] = [0xa0, 0x202f];

/** A symbol, which is a token of its own. */
export const CLASS_SYMBOL = 6;

/** Units from here on are not handled by the fast path either: it ends after arrows, signs and shapes. */
const CLASS_TABLE_SIZE = 0x2c00;

/**
 * Characters of Latin script, or signs that fold on their own: a word made of these is normalised without its context.
 */
const QUICK_WORDS = new CodeSet('0020-007E 0080-02AF 0300-036F 1E00-1EFF 2070-20CF 2100-214F');

export interface CharKinds {
  /** Whether a character is part of words and has no other plain form that would be cut. */
  readonly isPlainWord: (code: number) => boolean;
  /** Whether a character is a symbol in its plain form, which no text of the settings contains. */
  readonly isPlainSymbol: (code: number) => boolean;
}

/**
 * Classes of the units that the fast path may meet, for one set of settings. The first unit of a separator or
 * dictionary word longer than one character gets CLASS_BAIL, in either case, except for the two default ones. O(table).
 */
export function buildCharClasses(cutter: Cutter, { isPlainWord, isPlainSymbol }: CharKinds): Uint8Array {
  const classes = new Uint8Array(CLASS_TABLE_SIZE).fill(CLASS_BAIL);
  for (let code = 0; code < CLASS_TABLE_SIZE; code++) {
    // most are none of these, and nothing else is asked of them: that takes tens of milliseconds in a young process
    const isQuickWord = QUICK_WORDS.has(code);
    const isSymbol = isPlainSymbol(code);
    const isCut = cutter.cutsChar(code);
    if (!isQuickWord && !isSymbol && !isCut) continue;
    if (isQuickWord && isPlainWord(code)) classes[code] = CLASS_WORD;
    const char = String.fromCharCode(code);
    if (cutter.beginsOwn(char)) {
      classes[code] = CLASS_BAIL;
      continue;
    }
    if (plainForm(code) !== undefined) continue;
    if (isSymbol) classes[code] = CLASS_SYMBOL;
    else if (isCut) classes[code] = classOfCut(cutter.classify(decompose(char, undefined)));
    else if (classes[code] === CLASS_BAIL) continue;
    if (NO_BREAK_SPACES.includes(code)) classes[code] = classes[code] === CLASS_SOFT ? CLASS_GROUPING : CLASS_BAIL;
    if (!cutter.isString(`${char} `)) continue;
    // The fast path treats the pair's space as a separator of its own, which the settings may forbid.
    const mayPair = classes[SPACE] === CLASS_SOFT && classes[code] === CLASS_SOFT;
    classes[code] = mayPair ? CLASS_PAIR : CLASS_BAIL;
  }
  return classes;
}

/** Whether a unit may be part of a word that the fast path cuts. */
export function isQuickWordUnit(code: number): boolean {
  return QUICK_WORDS.has(code);
}

function classOfCut(kind: TokenKind): number {
  if (kind === 'softSeparator') return CLASS_SOFT;
  return kind === 'hardSeparator' ? CLASS_HARD : CLASS_BAIL;
}

/** Whether the fast path handles the whole text. O(length). */
export function isQuickText(text: string, classes: Uint8Array): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= CLASS_TABLE_SIZE || classes[code] === CLASS_BAIL) return false;
    if (classes[code] === CLASS_GROUPING && isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1)))
      return false;
  }
  return true;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The end of the run of symbols from `at` on, and whether a word is directly before or after it. O(length of the run). */
export function symbolsAt(text: string, at: number, classes: Uint8Array): { end: number; isBesideWord: boolean } {
  let end = at;
  while (end < text.length && classes[text.charCodeAt(end)] === CLASS_SYMBOL) end++;
  const isWord = (unit: number): boolean => classes[text.charCodeAt(unit)] === CLASS_WORD;
  return { end, isBesideWord: isWord(at - 1) || isWord(end) };
}

import type { Cutter } from './cutter.js';
import { decompose } from './normalize.js';

/** What the quick walk does at a UTF-16 unit. */
export const CLASS_WORD = 0;
export const CLASS_SOFT = 1;
export const CLASS_HARD = 2;
/** A separator that is hard together with a space behind it (`. ` and `, `), soft alone. */
export const CLASS_PAIR = 3;
/** Not for the quick walk. */
export const CLASS_BAIL = 4;

const SPACE = 0x20;

/** Units from here on are not for the quick walk either. */
export const CLASS_TABLE_SIZE = 0x2150;

/** Characters of Latin script, or signs that fold alone: a word made of these needs no look at its neighbours. */
const QUICK_WORD_RANGES = [
  [0x20, 0x7e],
  [0x80, 0x24f],
  [0x2070, 0x20cf],
  [0x2100, 0x214f],
] as const;

/**
 * Classes of the units that the quick walk may meet, under one set of settings. Long patterns make their first unit a
 * bail-out,
 * but for the two default ones. O(table).
 */
export function buildCharClasses(cutter: Cutter): Uint8Array {
  const classes = new Uint8Array(CLASS_TABLE_SIZE).fill(CLASS_BAIL);
  for (const [first, last] of QUICK_WORD_RANGES) classes.fill(CLASS_WORD, first, last + 1);
  for (let code = 0; code < CLASS_TABLE_SIZE; code++) {
    if (cutter.cutsChar(code))
      classes[code] = classOfCut(cutter.classify(decompose(String.fromCharCode(code), undefined)));
    const patterns = cutter.longPatternsFrom(code);
    if (patterns.length === 0) continue;
    const char = String.fromCharCode(code);
    const isDefaultPair = patterns.length === 1 && patterns[0] === `${char} ` && (char === '.' || char === ',');
    // The quick walk takes the pair's space for a separator of its own, which the settings may deny.
    const mayPair = isDefaultPair && classes[SPACE] === CLASS_SOFT && classes[code] === CLASS_SOFT;
    classes[code] = mayPair ? CLASS_PAIR : CLASS_BAIL;
  }
  return classes;
}

function classOfCut(kind: 'word' | 'stopWord' | 'softSeparator' | 'hardSeparator'): number {
  if (kind === 'softSeparator') return CLASS_SOFT;
  return kind === 'hardSeparator' ? CLASS_HARD : CLASS_BAIL;
}

/** Can the quick walk take the whole text? O(length). */
export function isQuickText(text: string, classes: Uint8Array): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= CLASS_TABLE_SIZE || classes[code] === CLASS_BAIL) return false;
  }
  return true;
}

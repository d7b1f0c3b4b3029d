import { looseBytes, writeUtf8 } from './bytes.js';

const SURROGATE = /[\ud800-\udfff]/;

/** Sorts distinct strings in the order of their UTF-8 bytes, in place. */
export function sortByBytes(words: string[]): string[] {
  // UTF-16 order, which the engine's own sort gives, differs from byte order only where surrogates meet U+E000..U+FFFF.
  return words.some((word) => SURROGATE.test(word)) ? words.sort(compareUtf8) : words.sort();
}

/** Compares two strings as their UTF-8 bytes: that is by code points. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The UTF-8 bytes of each string, as views of one buffer. */
export function encodeWords(words: readonly string[]): Uint8Array[] {
  let byteBound = 0;
  for (const word of words) byteBound += word.length * 3;
  const buffer = looseBytes(byteBound);
  const encoded: Uint8Array[] = new Array<Uint8Array>(words.length);
  let at = 0;
  for (let i = 0; i < words.length; i++) {
    const byteCount = writeUtf8(buffer, words[i]!, at);
    encoded[i] = buffer.subarray(at, at + byteCount);
    at += byteCount;
  }
  return encoded;
}

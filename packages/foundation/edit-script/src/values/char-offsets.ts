/** Characters of strings by index, counted in code points, without splitting the string. */
import type { Budget } from './budget.js';

const SURROGATE = /[\ud800-\udbff][\udc00-\udfff]/;
/** Reading one character of a concatenated string may copy all of it, at memory speed. */
const COPIED_CHARS_PER_OPERATION = 1_024;

/** The number of characters. O(length). */
export function charCount(text: string, budget: Budget): number {
  budget.spendText(text.length);
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (let at = 0; at < text.length; count++) at += isPair(text, at) ? 2 : 1;
  return count;
}

/** Offset of the character with index `count`, or the text's end. O(count) */
export function offsetOf(text: string, count: number, budget: Budget): number {
  budget.spend(text.length / COPIED_CHARS_PER_OPERATION);
  budget.spendText(Math.max(0, Math.min(count, text.length)));
  let at = 0;
  for (let left = count; left > 0 && at < text.length; left--) at += isPair(text, at) ? 2 : 1;
  return at;
}

/** The character at an offset; undefined at the end. */
export function charAt(text: string, offset: number): string | undefined {
  return offset < text.length ? text.slice(offset, offset + (isPair(text, offset) ? 2 : 1)) : undefined;
}

/** Characters `from` up to `to`, both counted from the start. */
export function charsBetween(text: string, from: number, to: number, budget: Budget): string {
  const start = offsetOf(text, from, budget);
  const rest = text.slice(start);
  return rest.slice(0, offsetOf(rest, Math.max(0, to - from), budget));
}

/** Every character as a string of its own, each for one operation. */
export function charsOf(text: string, budget: Budget): string[] {
  budget.spend(text.length);
  return [...text];
}

function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(at + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}

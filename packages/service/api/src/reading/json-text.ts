import { MAX_JSON_DEPTH, utf8Bytes } from '@fossick/base';

/** Escapes of halves of a surrogate pair; the group is `8` to `b` for a first half. */
const SURROGATE_ESCAPE = /\\u[dD]([89a-fA-F])[0-9a-fA-F]{2}/g;
const SECOND_ESCAPE = /\\u[dD][c-fC-F][0-9a-fA-F]{2}/y;
const FIRST_DIGIT = /[89abAB]/;
/** What is wrong with a text for which `hasLoneSurrogate` holds. */
export const LONE_SURROGATE = 'an escape names half of a surrogate pair';
const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [...utf8Bytes('"\\[]{}')];

/**
 * Whether a text that is JSON has an escape of half a surrogate pair: it has no UTF-8 and would be stored as another text than the one
 * sent. A member that a later one of its name replaces counts as well. O(length), and almost free without such escapes; a function for JSON.parse would be called for each value, which takes many times longer.
 */
export function hasLoneSurrogate(text: string): boolean {
  SURROGATE_ESCAPE.lastIndex = 0;
  for (let found = SURROGATE_ESCAPE.exec(text); found !== null; found = SURROGATE_ESCAPE.exec(text)) {
    if (isEscaped(text, found.index)) continue;
    SECOND_ESCAPE.lastIndex = SURROGATE_ESCAPE.lastIndex;
    if (!FIRST_DIGIT.test(found[1]!) || !SECOND_ESCAPE.test(text)) return true;
    SURROGATE_ESCAPE.lastIndex = SECOND_ESCAPE.lastIndex;
  }
  return false;
}

/** Whether the backslash at a place is itself escaped: there is an odd number of them before it. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (at - start) % 2 === 1;
}

/** Whether a JSON text is nested deeper than `maxDepth`. O(length), and almost free for a text with few brackets. */
export function isTooDeep(text: string, maxDepth = MAX_JSON_DEPTH): boolean {
  // brackets come in pairs, so a short text cannot be deep
  if (text.length <= 2 * maxDepth) return false;
  return hasMoreOf('[{', text, maxDepth) && isDeeper(text, maxDepth);
}

/** Whether some characters occur more than this many times, strings included; searching them is many times faster than parsing. */
function hasMoreOf(characters: string, text: string, maxCount: number): boolean {
  let count = 0;
  for (const character of characters)
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1))
      if (++count > maxCount) return true;
  return false;
}

function isDeeper(text: string, maxDepth: number): boolean {
  let level = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (isInString) {
      if (character === BACKSLASH) i++;
      else if (character === QUOTE) isInString = false;
    } else if (character === QUOTE) isInString = true;
    else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      if (++level > maxDepth) return true;
    } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) level--;
  }
  return false;
}

const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Counts the values of a JSON text that comes in pieces: lists, objects, and what follows a comma in them. Without parsing it, which takes up
 * to half a microsecond for each.
 */
export class ValueCounter {
  private isInString = false;
  private isEscaped = false;
  count = 0;

  /** Counts those of the next piece, UTF-8, and stops beyond `maxCount`. O(length) */
  add(piece: Uint8Array, maxCount: number): void {
    let { isInString, isEscaped, count } = this;
    for (let i = 0; i < piece.length; i++) {
      const character = piece[i]!;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (character === BACKSLASH) isEscaped = true;
        else if (character === QUOTE) isInString = false;
      } else if (character === QUOTE) isInString = true;
      else if (character === COMMA || character === OPEN_ARRAY || character === OPEN_OBJECT)
        if (++count > maxCount) break;
    }
    this.isInString = isInString;
    this.isEscaped = isEscaped;
    this.count = count;
  }
}

/** Whether a JSON text has more than `maxCount` values, as ValueCounter counts them. O(length) */
export function hasMoreValues(text: string, maxCount: number): boolean {
  if (text.length <= maxCount) return false;
  const counter = new ValueCounter();
  counter.add(utf8Bytes(text), maxCount);
  return counter.count > maxCount;
}

/**
 * Whether an object of a JSON text has more than `maxCount` members. Without parsing it: each member with a name of its own costs a
 * microsecond to parse and one more to list. O(length), and almost free for a text with few colons.
 */
export function hasLargerObject(text: string, maxCount: number): boolean {
  if (!hasMoreOf(':', text, maxCount)) return false;
  /** Members so far of the objects around the innermost one, and of that itself. */
  const outer: number[] = [];
  let count = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (isInString) {
      if (character === BACKSLASH) i++;
      else if (character === QUOTE) isInString = false;
    } else if (character === QUOTE) isInString = true;
    else if (character === OPEN_OBJECT) {
      outer.push(count);
      count = 0;
    } else if (character === CLOSE_OBJECT) count = outer.pop() ?? 0;
    else if (character === COLON && ++count > maxCount) return true;
  }
  return false;
}

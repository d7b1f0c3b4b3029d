import { MAX_JSON_DEPTH, utf8Bytes } from '@fossick/base';
import { JsonMeter } from '@fossick/documents';

/** Escapes of halves of a surrogate pair; the group is `8` to `b` for a first half. */
const SURROGATE_ESCAPE = /\\u[dD]([89a-fA-F])[0-9a-fA-F]{2}/g;
const SECOND_ESCAPE = /\\u[dD][c-fC-F][0-9a-fA-F]{2}/y;
const FIRST_DIGIT = /[89abAB]/;
/** What is wrong with a text for which `hasLoneSurrogate` holds. */
export const LONE_SURROGATE = 'an escape names half of a surrogate pair';
const BACKSLASH = 0x5c;

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
  return hasMoreOf('[{', text, maxDepth) && new JsonMeter({ depth: maxDepth }).exceeds(utf8Bytes(text)) !== undefined;
}

/** Whether some characters occur more than this many times, strings included; searching them is many times faster than parsing. */
function hasMoreOf(characters: string, text: string, maxCount: number): boolean {
  let count = 0;
  for (const character of characters)
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1))
      if (++count > maxCount) return true;
  return false;
}

/** Whether a JSON text has more than `maxCount` values, as JsonMeter counts them. O(length) */
export function hasMoreValues(text: string, maxCount: number): boolean {
  return text.length > maxCount && new JsonMeter({ values: maxCount }).exceeds(utf8Bytes(text)) !== undefined;
}

/**
 * Whether an object of a JSON text has more than `maxCount` members. Without parsing it: each member with a name of its own costs a
 * microsecond to parse and one more to list. O(length), and almost free for a text with few colons.
 */
export function hasLargerObject(text: string, maxCount: number): boolean {
  return hasMoreOf(':', text, maxCount) && new JsonMeter({ members: maxCount }).exceeds(utf8Bytes(text)) !== undefined;
}

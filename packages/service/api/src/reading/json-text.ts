import { MAX_JSON_DEPTH, utf8Bytes } from '@fossick/base';

/** Finds escapes that may be half of a surrogate pair in a JSON text; only the parsed value decides. */
export const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [...utf8Bytes('"\\[]{}')];

/** For JSON.parse: half a surrogate pair has no UTF-8 and would be stored as another text than the one sent. Throws SyntaxError. */
export function refuseLoneSurrogate(name: string, value: unknown): unknown {
  if (LONE_SURROGATE.test(name) || (typeof value === 'string' && LONE_SURROGATE.test(value)))
    throw new SyntaxError('an escape names half of a surrogate pair');
  return value;
}

/** Whether a JSON text is nested deeper than `maxDepth`. O(length), and almost free for a text with few brackets. */
export function isTooDeep(text: string, maxDepth = MAX_JSON_DEPTH): boolean {
  // brackets come in pairs, so a short text cannot be deep
  if (text.length <= 2 * maxDepth) return false;
  return hasMoreBrackets(text, maxDepth) && isDeeper(text, maxDepth);
}

/** Whether there are more than this many brackets, those in strings included; searching them is many times faster than parsing. */
function hasMoreBrackets(text: string, maxCount: number): boolean {
  let count = 0;
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
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

/**
 * Whether a JSON text has more than `maxCount` values: lists, objects, and what follows a comma in them. Without parsing it, which takes
 * up to half a microsecond for each. O(length)
 */
export function hasMoreValues(text: string, maxCount: number): boolean {
  if (text.length <= maxCount) return false;
  let count = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (isInString) {
      if (character === BACKSLASH) i++;
      else if (character === QUOTE) isInString = false;
    } else if (character === QUOTE) isInString = true;
    else if (character === COMMA || character === OPEN_ARRAY || character === OPEN_OBJECT)
      if (++count > maxCount) return true;
  }
  return false;
}

import { isUtf8 } from 'node:buffer';
import { hasLoneSurrogate, isTooDeep, LONE_SURROGATE } from '@fossick/api';
import { MAX_JSON_DEPTH } from '@fossick/base';

const [NEWLINE, OPEN_BRACE, CLOSE_BRACE] = [0x0a, 0x7b, 0x7d];

/**
 * The number of lines of a block that ends with a line break, if each line is exactly one JSON object; otherwise
 * undefined, which need not be an error. O(bytes), several times cheaper than searching for the ends of objects byte by
 * byte.
 */
export function countObjectLines(block: Buffer): number | undefined {
  if (!isUtf8(block)) return undefined;
  let count = 0;
  for (let start = 0; start < block.length; count++) {
    const end = block.indexOf(NEWLINE, start);
    if (end < 0 || block[start] !== OPEN_BRACE || block[end - 1] !== CLOSE_BRACE) return undefined;
    if (!isJson(block, start, end)) return undefined;
    start = end + 1;
  }
  return count;
}

/** Whether the UTF-8 bytes [from, to) are one JSON value that can be stored. */
export function isJson(bytes: Buffer, from = 0, to: number = bytes.length): boolean {
  // Decoding one character per byte is fastest, and bytes beyond ASCII are allowed within strings and nowhere else.
  return jsonFault(bytes.toString('latin1', from, to)) === undefined;
}

/** What is wrong with a text that should be one JSON value; undefined when it is one. O(length) */
export function jsonFault(text: string): string | undefined {
  try {
    if (isTooDeep(text)) return `it is nested more than ${MAX_JSON_DEPTH} levels deep`;
    JSON.parse(text);
    return hasLoneSurrogate(text) ? LONE_SURROGATE : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

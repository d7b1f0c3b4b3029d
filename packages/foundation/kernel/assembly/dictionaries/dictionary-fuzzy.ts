// Words near a query word: a depth-first walk with an OSA automaton over code points.
//
// Row i of the distance matrix (i characters of the candidate read) is only needed for |i - j| <= 2, and only whether a cell is <= 0, <= 1, <= 2. So a row is
// three 5-bit sets packed into 15 bits: bit k of set e says D[i][i + k - 2] <= e. A step is a few dozen bit operations, and rows are passed as arguments.

import {
  HEADER_BYTES, INNER, TERMINAL, afterVarint, inputArea, labelLength, labelStart, resultArea, varint,
} from './dictionary-node';

/** Code points of padding on either side of the query, never equal to a character. */
const PADDING: i32 = 8;
/** The most words of one typo, and of two, that are returned. */
export const ONE_MAX: i32 = 150;
export const TWO_MAX: i32 = 50;
export const RESULT_MAX: usize = 200;

/** The first row: D[0][j] = j. */
const FIRST_ROW: i32 = 0b11100_01100_00100;

let query: usize = 0;
let queryLength: i32 = 0;
let firstCharacter: u32 = 0;
let budget: i32 = 0;
let isPrefix: bool = false;
/** The largest distance that is searched under the current first character; 1 once there are enough words of two typos. */
let limit: i32 = 0;
/** 1 under a first character other than the query's. */
let differs: i32 = 0;
let oneCount: i32 = 0;
let twoCount: i32 = 0;
let resultCount: i32 = 0;
let isDone: bool = false;

/**
 * Walks the dictionary for the query word in the input area: `length` u32 code points with PADDING values of 0xffffffff before and after. Leaves u32
 * ordinals[200], u8 distances[200], u8 firstDiffers[200] in the result area; answers how many.
 */
export function dictionaryFuzzy(dictionary: usize, length: i32, typoBudget: i32, prefix: i32): i32 {
  query = inputArea();
  queryLength = length;
  firstCharacter = load<u32>(query + (<usize>PADDING << 2));
  budget = typoBudget;
  isPrefix = prefix != 0;
  oneCount = 0;
  twoCount = 0;
  resultCount = 0;
  isDone = false;
  const root = dictionary + HEADER_BYTES;
  const flags = <u32>load<u8>(root);
  const isWord = (flags & TERMINAL) != 0;
  // The empty word has no first character, so it differs from the query's.
  if (isWord && budget == 2 && length == 1) accept(0, 1, 1);
  if (flags & INNER) {
    const sizeAt = afterVarint(root + 1);
    const children = afterVarint(sizeAt);
    walk(children, children + varint(sizeAt), isWord ? 1 : 0, 0, 0, FIRST_ROW, 0);
  }
  return resultCount;
}

/**
 * Walks the siblings in [node, end), the first of them at `ordinal`. The path above has `depth` whole characters and the unfinished one `pending` (bits so
 * far, missing bytes from bit 24). `row` is row `depth`; `previous` holds sets 0 and 1 of the row before and, from bit 10, the match set of the last
 * character.
 */
function walk(node: usize, end: usize, ordinal: u32, depth: i32, pending: u32, row: i32, previous: i32): void {
  while (node < end) {
    const flags = <u32>load<u8>(node);
    let at = labelStart(node);
    const labelEnd = at + labelLength(node);
    let wordCount: u32 = 1;
    let children = labelEnd;
    node = labelEnd;
    if (flags & INNER) {
      wordCount = varint(labelEnd);
      const sizeAt = afterVarint(labelEnd);
      children = afterVarint(sizeAt);
      node = children + varint(sizeAt);
    }
    let i = depth;
    let partial = pending;
    let current = row;
    let before = previous;
    let isAlive = true;
    while (at < labelEnd) {
      let character = <u32>load<u8>(at++);
      if (character >= 0x80) {
        partial = continueCharacter(partial, character);
        if (partial >= 0x1000000) continue;
        character = partial;
        partial = 0;
      }
      if (i++ == 0 && !enterFirst(character)) {
        isAlive = false;
        break;
      }
      const match = matchSet(i, character);
      const next = nextRow(current, before, match, validSet(i));
      before = (current & 0x3ff) | (match << 10);
      current = next;
      const reachable = rowMinimum(current);
      if (reachable > limit) {
        isAlive = false;
        break;
      }
      if (isPrefix) {
        // These characters decide for all words that begin with them, unless a shorter prefix of the query is nearer to them: then the rest of the query may
        // still follow.
        const distance = lastCell(current, i);
        if (distance == reachable) {
          if (distance > 0) acceptRange(ordinal, wordCount, distance);
          isAlive = false;
          break;
        }
      }
    }
    if (isAlive) {
      if (flags & TERMINAL) {
        const distance = lastCell(current, i);
        if (partial == 0 && distance > 0 && distance <= limit) accept(ordinal, distance, differs);
      }
      if (flags & INNER && !isDone) {
        walk(children, node, ordinal + (flags >> 7), i, partial, current, before);
      }
    }
    if (isDone) return;
    ordinal += wordCount;
  }
}

/** Adds one byte >= 0x80 to an unfinished character. The result is below 2^24 once the character is complete. */
@inline
function continueCharacter(partial: u32, byte: u32): u32 {
  if (byte >= 0xf0) return (byte & 0x07) | (3 << 24);
  if (byte >= 0xe0) return (byte & 0x0f) | (2 << 24);
  if (byte >= 0xc0) return (byte & 0x1f) | (1 << 24);
  return ((partial & 0xffffff) << 6) | (byte & 0x3f) | (((partial >> 24) - 1) << 24);
}

/** Chooses the budget by the first character; false: no candidate may begin with it. */
@inline
function enterFirst(character: u32): bool {
  differs = character == firstCharacter ? 0 : 1;
  if (budget == 1) {
    limit = 1;
    return differs == 0;
  }
  limit = differs || twoCount >= TWO_MAX ? 1 : 2;
  return true;
}

/** Bit k: the query's character j = i + k - 2 (1-based) is `character`. */
@inline
function matchSet(i: i32, character: u32): i32 {
  const at = query + (<usize>(i + PADDING - 3) << 2);
  return i32(load<u32>(at) == character) |
    (i32(load<u32>(at, 4) == character) << 1) |
    (i32(load<u32>(at, 8) == character) << 2) |
    (i32(load<u32>(at, 12) == character) << 3) |
    (i32(load<u32>(at, 16) == character) << 4);
}

/** The cells of row i that lie within the query. */
@inline
function validSet(i: i32): i32 {
  const cellCount = queryLength - i + 3;
  return cellCount >= 5 ? 31 : (1 << cellCount) - 1;
}

/** The row after `row`. A swap ending at cell k, its characters matching crosswise, costs 1 over cell k two rows up. */
@inline
function nextRow(row: i32, previous: i32, match: i32, valid: i32): i32 {
  const zero = row & 31;
  const one = (row >> 5) & 31;
  const two = row >> 10;
  const swapped = (match << 1) & (previous >> 11);
  const next0 = zero & match & valid;
  const next1 = ((one & match) | zero | (zero >> 1) | (next0 << 1) | (previous & 31 & swapped)) & valid;
  const next2 = ((two & match) | one | (one >> 1) | (next1 << 1) | ((previous >> 5) & 31 & swapped)) & valid;
  return next0 | (next1 << 5) | (next2 << 10);
}

/** Least distance in the row; 3: above 2. No later row has a smaller one. */
@inline
function rowMinimum(row: i32): i32 { return row & 31 ? 0 : row & 0x3e0 ? 1 : row ? 2 : 3; }

/** Distance of the `i` characters read to the whole query; 3: above 2. */
@inline
function lastCell(row: i32, i: i32): i32 {
  const k = queryLength - i + 2;
  if (k < 0 || k > 4) return 3;
  const cell = row >> k;
  return cell & 1 ? 0 : cell & 0x20 ? 1 : cell & 0x400 ? 2 : 3;
}

function acceptRange(ordinal: u32, wordCount: u32, distance: i32): void {
  for (let i: u32 = 0; i < wordCount && !isDone; i++) {
    // A rejected word changes no count, so the rest of the range would be rejected too.
    if (!accept(ordinal + i, distance, differs)) return;
  }
}

/** Adds the word to the results unless its kind is full. A first-letter typo counts as two while fewer than TWO_MAX words do. */
function accept(ordinal: u32, distance: i32, firstDiffers: i32): bool {
  const isTwo = distance == 2 || (firstDiffers != 0 && twoCount < TWO_MAX);
  if (isTwo ? twoCount >= TWO_MAX : oneCount >= ONE_MAX) return false;
  const result = resultArea();
  store<u32>(result + (<usize>resultCount << 2), ordinal);
  store<u8>(result + (RESULT_MAX << 2) + <usize>resultCount, distance);
  store<u8>(result + RESULT_MAX * 5 + <usize>resultCount, firstDiffers);
  resultCount++;
  if (isTwo) twoCount++;
  else oneCount++;
  if (twoCount >= TWO_MAX) limit = 1;
  isDone = oneCount >= ONE_MAX && (budget == 1 || twoCount >= TWO_MAX);
  return true;
}

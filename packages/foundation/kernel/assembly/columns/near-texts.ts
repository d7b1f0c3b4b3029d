// Finds the byte-sorted texts that begin with something close to a query: the text, or a deciding prefix of it, is within a budget of edits (insert, delete,
// replace, swap of neighbours), by code points. A prefix decides when no shorter prefix of the query is closer to it; else the rest of the query may still
// follow.
//
// Only distances near the diagonal are computed: cells further off than the budget + 1 cannot come back. A deciding prefix decides for all texts that share
// it. A text reuses the rows of the prefix that it shares with the previous one.

import { scratchAlloc, scratchMark, scratchRelease } from "../arena";

/** Infinity in a row of distances. */
const FAR: i32 = 0x3fff_ffff;
/** Value of `deciding` when the end of the text decided. */
const AT_END: u32 = 0xffff_ffff;

let wanted: usize = 0;
let wantedCount: i32 = 0;
let budget: i32 = 0;
let longest: i32 = 0;
/** By length: distances of the prefixes of the query to the first `length` characters of the current text. */
let rows: usize = 0;
/** By length: UTF-8 bytes of this many characters of the current text, and the last of them. */
let bytesAt: usize = 0;
let codes: usize = 0;
/** Characters of the current text that have a row. */
let length: i32 = 0;
/** UTF-8 bytes of the prefix of the current text that decided. */
let deciding: u32 = AT_END;

// @ts-ignore: decorator
@inline function rowOf(at: i32): usize { return rows + <usize>at * ((<usize>wantedCount + 2) << 2); }
// @ts-ignore: decorator
@inline function word(base: usize, at: i32): i32 { return load<i32>(base + (<usize>at << 2)); }
// @ts-ignore: decorator
@inline function setWord(base: usize, at: i32, value: i32): void { store<i32>(base + (<usize>at << 2), value); }

/**
 * Goes through texts [from, count) until `lookCount` texts were compared or `rangeCount` ranges are found. Ranges of close texts, [u32 from][u32 to], begin
 * at out[2]. out[0] = the text to continue with, out[1] = number of ranges. `query`: u32 code points, at least one.
 */
export function nearTexts(
  offsets: usize, texts: usize, from: u32, count: u32, query: usize, queryCount: i32, edits: i32, lookCount: u32, rangeCount: u32, out: usize,
): void {
  const mark = scratchMark();
  begin(query, queryCount, edits);
  let before = texts;
  let beforeEnd = texts;
  let found: u32 = 0;
  let looks: u32 = 0;
  let index = from;
  for (; index < count && looks < lookCount && found < rangeCount; looks++) {
    const start = texts + load<u32>(offsets + (<usize>index << 2));
    const end = texts + load<u32>(offsets + (<usize>index << 2), 4);
    const isClose = isNear(start, end, sharedBytes(before, beforeEnd, start, end));
    const to = deciding == AT_END ? index + 1 : endOfPrefix(offsets, texts, start, deciding, index + 1, count);
    if (isClose) {
      store<u32>(out + 8 + (<usize>found << 3), index);
      store<u32>(out + 8 + (<usize>found << 3), to, 4);
      found++;
    }
    before = start;
    beforeEnd = end;
    index = to;
  }
  store<u32>(out, index);
  store<u32>(out, found, 4);
  scratchRelease(mark);
}

function begin(query: usize, queryCount: i32, edits: i32): void {
  wanted = query;
  wantedCount = queryCount;
  budget = edits;
  longest = queryCount + edits;
  const rowBytes = (<u32>queryCount + 2) << 2;
  rows = scratchAlloc(rowBytes * (<u32>longest + 1));
  memory.fill(rows, 0, <usize>rowBytes * (<usize>longest + 1));
  bytesAt = scratchAlloc((<u32>longest + 1) << 2);
  codes = scratchAlloc((<u32>longest + 1) << 2);
  setWord(bytesAt, 0, 0);
  setWord(codes, 0, 0);
  length = 0;
  const width = edits + 1;
  for (let j = 0; j <= min(width + 1, queryCount); j++) setWord(rows, j, j <= width ? j : FAR);
}

function isNear(start: usize, end: usize, shared: u32): bool {
  const size = <i32>(end - start);
  const width = budget + 1;
  deciding = AT_END;
  if (size == 0) {
    length = 0;
    return wantedCount <= budget;
  }
  while (length > 0 && <u32>word(bytesAt, length) > shared) length--;
  if (length > 0 && word(bytesAt, length) >= size) length--;
  while (length < longest && word(bytesAt, length) < size) {
    const at = word(bytesAt, length);
    length++;
    addCharacter(start + at, at);
    const least = fillRow(width);
    const distance = abs(length - wantedCount) <= width ? word(rowOf(length), wantedCount) : FAR;
    const isSettled = distance <= budget && least >= distance;
    if (length == longest || least > width || isSettled) deciding = word(bytesAt, length);
    const isLast = length == longest || word(bytesAt, length) >= size;
    if (isSettled || (distance <= budget && isLast)) return true;
    if (least > width) return false; // a swap looks two rows back, hence the slack of one
  }
  return false;
}

/** Adds the character at `p`, which begins `at` bytes into the text. */
function addCharacter(p: usize, at: i32): void {
  const lead = <u32>load<u8>(p);
  let code = lead;
  let size = 1;
  if (lead >= 0xf0) {
    code = ((lead & 7) << 18) | ((<u32>load<u8>(p, 1) & 63) << 12) | ((<u32>load<u8>(p, 2) & 63) << 6) | (<u32>load<u8>(p, 3) & 63);
    size = 4;
  } else if (lead >= 0xe0) {
    code = ((lead & 15) << 12) | ((<u32>load<u8>(p, 1) & 63) << 6) | (<u32>load<u8>(p, 2) & 63);
    size = 3;
  } else if (lead >= 0xc0) {
    code = ((lead & 31) << 6) | (<u32>load<u8>(p, 1) & 63);
    size = 2;
  }
  setWord(codes, length, <i32>code);
  setWord(bytesAt, length, at + size);
}

/** Fills the row of the first `length` characters of the text; returns its least distance. */
function fillRow(width: i32): i32 {
  const row = rowOf(length - 1);
  const next = rowOf(length);
  const before = rowOf(max(0, length - 2));
  const code = word(codes, length);
  const previous = word(codes, length - 1);
  const low = max(0, length - width);
  const high = min(wantedCount, length + width);
  let least = FAR;
  let j = low;
  if (low == 0) {
    setWord(next, 0, length);
    least = length;
    j = 1;
  } else setWord(next, low - 1, FAR);
  for (; j <= high; j++) {
    const unit = word(wanted, j - 1);
    let cost = min(word(row, j - 1) + (code == unit ? 0 : 1), min(word(row, j) + 1, word(next, j - 1) + 1));
    if (length > 1 && j > 1 && code == word(wanted, j - 2) && previous == unit) cost = min(cost, word(before, j - 2) + 1);
    setWord(next, j, cost);
    if (cost < least) least = cost;
  }
  if (high < wantedCount) setWord(next, high + 1, FAR);
  return least;
}

function sharedBytes(left: usize, leftEnd: usize, right: usize, rightEnd: usize): u32 {
  const size = <u32>min(leftEnd - left, rightEnd - right);
  let shared: u32 = 0;
  while (shared < size && load<u8>(left + shared) == load<u8>(right + shared)) shared++;
  return shared;
}

/** The first index from `from` on whose text does not begin with the prefix, found by galloping. */
function endOfPrefix(offsets: usize, texts: usize, prefix: usize, size: u32, from: u32, count: u32): u32 {
  let low = from;
  let step: u32 = 1;
  while (low + step <= count && hasPrefix(offsets, texts, low + step - 1, prefix, size)) {
    low += step;
    step <<= 1;
  }
  let high = min(low + step - 1, count);
  while (low < high) {
    const middle = low + ((high - low) >> 1);
    if (hasPrefix(offsets, texts, middle, prefix, size)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function hasPrefix(offsets: usize, texts: usize, index: u32, prefix: usize, size: u32): bool {
  const start = texts + load<u32>(offsets + (<usize>index << 2));
  const end = texts + load<u32>(offsets + (<usize>index << 2), 4);
  return end - start >= <usize>size && memory.compare(start, prefix, size) == 0;
}

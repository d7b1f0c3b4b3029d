// Merges byte-sorted texts of several columns and sums their counts.
//
// Column: [u32 offsets][u32 bytes][u32 texts][u32 live counts, 0: all live][u32 counts][u32 next text].

import { scratchAlloc, scratchMark, scratchRelease } from "../arena";
import { MERGED_COLUMN_BYTES, MERGED_TEXT_BYTES } from "../layout";
import { compareBytes } from "./texts";

const COLUMN_BYTES: usize = MERGED_COLUMN_BYTES;

// @ts-ignore: decorator
@inline function nextOf(column: usize): u32 { return load<u32>(column, 20); }
// @ts-ignore: decorator
@inline function startOf(column: usize): usize {
  return <usize>load<u32>(column, 4) + <usize>load<u32>(<usize>load<u32>(column) + (<usize>nextOf(column) << 2));
}
// @ts-ignore: decorator
@inline function endOf(column: usize): usize {
  return <usize>load<u32>(column, 4) + <usize>load<u32>(<usize>load<u32>(column) + (<usize>nextOf(column) << 2), 4);
}

/** Skips texts without a live document; returns whether a text is left. */
function settle(column: usize): bool {
  const count = load<u32>(column, 8);
  const live = <usize>load<u32>(column, 12);
  let next = nextOf(column);
  if (live != 0) while (next < count && load<u32>(live + (<usize>next << 2)) == 0) next++;
  store<u32>(column, next, 20);
  return next < count;
}

/** Inserts a column into the `size` columns that are ordered by their current text, after equal ones. */
function insert(order: usize, size: u32, column: usize): void {
  let low: u32 = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = <usize>load<u32>(order + (<usize>middle << 2));
    if (compareBytes(startOf(other), endOf(other), startOf(column), endOf(column)) <= 0) low = middle + 1;
    else high = middle;
  }
  const at = order + (<usize>low << 2);
  memory.copy(at + 4, at, <usize>(size - low) << 2);
  store<u32>(at, <u32>column);
}

/**
 * Writes [u32 column][u32 its text][u32 sum of counts] for each of the next distinct live texts in byte order, at most `limit`. The columns store where the
 * next call continues. Returns how many. O(texts * log columns)
 */
export function mergeTexts(columns: usize, columnCount: u32, limit: u32, out: usize): u32 {
  const mark = scratchMark();
  const order = scratchAlloc((columnCount + 1) << 2);
  const taken = scratchAlloc((columnCount + 1) << 2);
  let size: u32 = 0;
  for (let i: u32 = 0; i < columnCount; i++) {
    const column = columns + <usize>i * COLUMN_BYTES;
    if (settle(column)) insert(order, size++, column);
  }
  let found: u32 = 0;
  while (size > 0 && found < limit) {
    const first = <usize>load<u32>(order);
    let same: u32 = 1;
    while (same < size) {
      const other = <usize>load<u32>(order + (<usize>same << 2));
      if (compareBytes(startOf(first), endOf(first), startOf(other), endOf(other)) != 0) break;
      same++;
    }
    const at = out + <usize>found * MERGED_TEXT_BYTES;
    store<u32>(at, <u32>((first - columns) / COLUMN_BYTES));
    store<u32>(at, nextOf(first), 4);
    let sum: u32 = 0;
    memory.copy(taken, order, <usize>same << 2);
    size -= same;
    memory.copy(order, order + (<usize>same << 2), <usize>size << 2);
    for (let i: u32 = 0; i < same; i++) {
      const column = <usize>load<u32>(taken + (<usize>i << 2));
      const next = nextOf(column);
      sum += load<u32>(<usize>load<u32>(column, 16) + (<usize>next << 2));
      store<u32>(column, next + 1, 20);
      if (settle(column)) insert(order, size++, column);
    }
    store<u32>(at, sum, 8);
    found++;
  }
  scratchRelease(mark);
  return found;
}

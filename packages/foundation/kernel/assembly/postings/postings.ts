// Operations on the documents of posting lists.

import { bitCapacity, setBit } from "../bitmaps/bitmap";
import { Cursor, docAt, firstKey, isLive, left, nextBlock, nextKey, open, skipKeys, startKeys } from "./cursor";
import { LIST_PAIR_BYTES } from "../layout";

/** target |= live documents of the list. O(documents). */
export function orDocs(target: usize, list: usize, deleted: usize): void {
  const cursor = left;
  open(cursor, list, deleted);
  while (nextBlock(cursor)) {
    const count = cursor.count;
    assert(docAt(cursor, count - 1) < bitCapacity(target), "document outside of the bitmap");
    if (deleted == 0) {
      for (let i: u32 = 0; i < count; i++) setBit(target, docAt(cursor, i));
      continue;
    }
    for (let i: u32 = 0; i < count; i++) {
      const doc = docAt(cursor, i);
      if (isLive(cursor, doc)) setBit(target, doc);
    }
  }
}

/** The same for all lists of the (list, deleted) pairs. */
export function orListsDocs(target: usize, pairs: usize, listCount: u32): void {
  const end = pairs + <usize>listCount * LIST_PAIR_BYTES;
  for (let p = pairs; p < end; p += LIST_PAIR_BYTES) orDocs(target, load<u32>(p), load<u32>(p, 4));
}

/** The same for documents with an occurrence in a field whose byte in `fields` is 1. O(occurrences). */
export function orDocsInFields(target: usize, list: usize, deleted: usize, fields: usize, fieldCount: u32): void {
  const cursor = left;
  open(cursor, list, deleted);
  while (nextBlock(cursor)) {
    const count = cursor.count;
    for (let i: u32 = 0; i < count; i++) {
      const doc = docAt(cursor, i);
      if (isLive(cursor, doc) && occursInFields(cursor, i, fields, fieldCount)) setBit(target, doc);
    }
  }
}

function occursInFields(cursor: Cursor, index: u32, fields: usize, fieldCount: u32): bool {
  let rest = startKeys(cursor, index);
  let key = firstKey(cursor);
  while (true) {
    rest--;
    const field = key >> 16;
    if (field < fieldCount && load<u8>(fields + field) == 1) {
      if (rest > 0) skipKeys(cursor, rest);
      return true;
    }
    if (rest == 0) return false;
    key = nextKey(cursor, key);
  }
}

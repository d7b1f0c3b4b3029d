// Columns: groups of docids in CSR form, u32 offsets[groupCount + 1] into u32 docIds.

import { hasBit, setBit } from "./bitmap";

export function orGroups(target: usize, offsets: usize, docIds: usize, from: u32, to: u32): void {
  if (from >= to) return;
  const end = docIds + (<usize>load<u32>(offsets + (<usize>to << 2)) << 2);
  for (let p = docIds + (<usize>load<u32>(offsets + (<usize>from << 2)) << 2); p < end; p += 4) setBit(target, load<u32>(p));
}

export function countGroups(bitmap: usize, offsets: usize, docIds: usize, groupCount: u32, counts: usize): void {
  let p = docIds + (<usize>load<u32>(offsets) << 2);
  for (let g: u32 = 0; g < groupCount; g++) {
    const end = docIds + (<usize>load<u32>(offsets + (<usize>g << 2), 4) << 2);
    let count: u32 = 0;
    for (; p < end; p += 4) count += <u32>hasBit(bitmap, load<u32>(p));
    store<u32>(counts + (<usize>g << 2), count);
  }
}

/** The first group from `from` on in steps of `step` with a document in the bitmap, -1 when none. */
export function nextGroup(bitmap: usize, offsets: usize, docIds: usize, groupCount: i32, from: i32, step: i32): i32 {
  for (let g = from; g >= 0 && g < groupCount; g += step) {
    const at = offsets + (<usize>g << 2);
    const end = docIds + (<usize>load<u32>(at, 4) << 2);
    for (let p = docIds + (<usize>load<u32>(at) << 2); p < end; p += 4) if (hasBit(bitmap, load<u32>(p))) return g;
  }
  return -1;
}

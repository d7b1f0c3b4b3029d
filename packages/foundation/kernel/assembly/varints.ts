// Reading rows of varints (LEB128, unsigned) as the engine stores them.

const ENDS_MASK: u64 = 0x8080808080808080;

/** The address after the number that `readNumber` read. */
export let readEnd: usize = 0;

// @ts-ignore: decorator
@inline export function readNumber(p: usize): u32 {
  let at = p;
  let byte = <u32>load<u8>(at++);
  let value = byte & 127;
  for (let shift: u32 = 7; byte >= 128; shift += 7) {
    byte = load<u8>(at++);
    value |= (byte & 127) << shift;
  }
  readEnd = at;
  return value;
}

/** The number of varints in the bytes: the last byte of each has its high bit clear. */
export function countVarints(bytes: usize, byteCount: u32): u32 {
  const end = bytes + <usize>byteCount;
  let count: u32 = 0;
  let p = bytes;
  for (; p + 8 <= end; p += 8) count += <u32>popcnt(~load<u64>(p) & ENDS_MASK);
  for (; p < end; p++) count += <u32>(load<u8>(p) < 128);
  return count;
}

/** Writes 0 and the prefix sums of the numbers, u32, to `out`. O(bytes). */
export function sumVarints(bytes: usize, byteCount: u32, out: usize): void {
  const end = bytes + <usize>byteCount;
  let sum: u32 = 0;
  store<u32>(out, 0);
  for (let p = bytes, to = out + 4; p < end; p = readEnd, to += 4) {
    sum += readNumber(p);
    store<u32>(to, sum);
  }
}

/**
 * Reads `[key delta][count][deltas of ascending ids]` for each group: keys to `keys`, the start of each group's ids (and the end of the last) to `offsets`,
 * the ids to `docIds`, all u32. Returns the number of groups. O(bytes).
 */
export function readGroups(bytes: usize, byteCount: u32, keys: usize, offsets: usize, docIds: usize): u32 {
  const end = bytes + <usize>byteCount;
  let key: u32 = 0;
  let groupCount: u32 = 0;
  let total: u32 = 0;
  let out = docIds;
  for (let p = bytes; p < end; ) {
    key += readNumber(p);
    const count = readNumber(readEnd);
    p = readEnd;
    store<u32>(keys + (<usize>groupCount << 2), key);
    store<u32>(offsets + (<usize>groupCount << 2), total);
    let doc: u32 = 0;
    for (const last = out + (<usize>count << 2); out < last; out += 4) {
      doc += readNumber(p);
      p = readEnd;
      store<u32>(out, doc);
    }
    total += count;
    groupCount++;
  }
  store<u32>(offsets + (<usize>groupCount << 2), total);
  return groupCount;
}

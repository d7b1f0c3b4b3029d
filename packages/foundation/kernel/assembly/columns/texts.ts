// Rows of byte-sorted texts: u32 offsets[count + 1] into bytes.

// @ts-ignore: decorator
@inline function textStart(offsets: usize, texts: usize, index: u32): usize { return texts + load<u32>(offsets + (<usize>index << 2)); }

/** Compares two texts by their bytes; a text comes before its extensions. */
export function compareBytes(left: usize, leftEnd: usize, right: usize, rightEnd: usize): i32 {
  while (left + 8 <= leftEnd && right + 8 <= rightEnd && load<u64>(left) == load<u64>(right)) {
    left += 8;
    right += 8;
  }
  while (left < leftEnd && right < rightEnd) {
    const difference = <i32>load<u8>(left) - <i32>load<u8>(right);
    if (difference != 0) return difference;
    left++;
    right++;
  }
  return left < leftEnd ? 1 : right < rightEnd ? -1 : 0;
}

/** The first index in [from, to) whose text is not less than the key; with `isAfter`, greater than it. */
export function textBound(
  offsets: usize, texts: usize, from: u32, to: u32, key: usize, keyBytes: u32, isAfter: bool,
): u32 {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = low + ((high - low) >> 1);
    const order = compareBytes(textStart(offsets, texts, middle), textStart(offsets, texts, middle + 1), key, key + keyBytes);
    if (order < 0 || (isAfter && order == 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * For ascending indexes of one row of texts, each plus `base`: found[i] is the index of the same text in the other row, -1 where it has none. Each is
 * searched from the previous one on, by galloping.
 */
export function findTexts(
  offsets: usize, texts: usize, list: usize, count: u32, base: u32, inOffsets: usize, inTexts: usize, inCount: u32, found: usize,
): void {
  let low: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const index = load<u32>(list + (<usize>i << 2)) - base;
    const key = textStart(offsets, texts, index);
    const end = textStart(offsets, texts, index + 1);
    let step: u32 = 1;
    while (low + step < inCount && isBefore(inOffsets, inTexts, low + step, key, end)) {
      low += step;
      step <<= 1;
    }
    low = textBound(inOffsets, inTexts, low, min(low + step, inCount), key, <u32>(end - key), false);
    const isFound = low < inCount && compareBytes(textStart(inOffsets, inTexts, low), textStart(inOffsets, inTexts, low + 1), key, end) == 0;
    store<i32>(found + (<usize>i << 2), isFound ? <i32>low : -1);
  }
}

function isBefore(offsets: usize, texts: usize, index: u32, key: usize, keyEnd: usize): bool {
  return compareBytes(textStart(offsets, texts, index), textStart(offsets, texts, index + 1), key, keyEnd) < 0;
}

/** Whether no byte of [from, end) is an upper-case ASCII letter, a control character or beyond ASCII. */
export function isPlainText(from: usize, end: usize): bool {
  let p = from;
  const low = i8x16.splat(0x20);
  const upperFrom = i8x16.splat(0x41);
  const upperCount = i8x16.splat(26);
  const last = i8x16.splat(0x7f);
  for (; p + 16 <= end; p += 16) {
    const bytes = v128.load(p);
    // signed comparison: bytes beyond ASCII are below 0x20, too
    const odd = v128.or(i8x16.lt_s(bytes, low), i8x16.eq(bytes, last));
    const upper = i8x16.lt_u(i8x16.sub(bytes, upperFrom), upperCount);
    if (v128.any_true(v128.or(odd, upper))) return false;
  }
  for (; p < end; p++) {
    const byte = load<u8>(p);
    if (byte < 0x20 || byte >= 0x7f || (byte >= 0x41 && byte <= 0x5a)) return false;
  }
  return true;
}

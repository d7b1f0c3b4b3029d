// Unpacks blocks of 128 numbers of equally many bits, lowest first: eight of them fill as many whole bytes as one has bits.

import { BLOCK_DOCS } from "../layout";
import { unpackShapes } from "../tables";

const BLOCK_BYTES: usize = BLOCK_DOCS * 4;
/** Numbers of more bits may extend over five bytes. */
const LANE_BITS_MAX: u32 = 25;
/** By number of bits, for the first and the last four of eight numbers: the four bytes that each is in, and the factors that move them to the top of these. */
const shapes: usize = unpackShapes;

function shapeOf(bits: u32): usize {
  const shape = shapes + (<usize>bits << 6);
  if (load<u32>(shape) != 0) return shape;
  for (let i: u32 = 0; i < 8; i++) {
    const bit = i * bits;
    const lane = shape + (<usize>(i >> 2) << 5) + (<usize>(i & 3) << 2);
    store<u32>(lane, ((bit >> 3) - (i < 4 ? 0 : bits >> 1)) * 0x01010101 + 0x03020100);
    store<u32>(lane, <u32>(<u64>1 << (32 - (bit & 7) - bits)), 16);
  }
  return shape;
}

/** Writes the numbers to `out`, u32 each. It reads up to 16 bytes past them. */
export function unpack(packed: usize, bits: u32, out: usize): void {
  const end = out + BLOCK_BYTES;
  if (bits > LANE_BITS_MAX) {
    for (let to = out, bit: u32 = 0; to < end; to += 4, bit += bits) store<u32>(to, <u32>(load<u64>(packed + (bit >> 3)) >> (bit & 7)) & (~0 >>> (32 - bits)));
    return;
  }
  const shape = shapeOf(bits);
  for (let to = out, p = packed; to < end; to += 32, p += bits) {
    v128.store(to, numbersOf(p, shape, bits));
    v128.store(to, numbersOf(p + (bits >> 1), shape + 32, bits), 16);
  }
}

// @ts-ignore: decorator
@inline function numbersOf(p: usize, shape: usize, bits: u32): v128 {
  return i32x4.shr_u(i32x4.mul(v128.swizzle(v128.load(p), v128.load(shape)), v128.load(shape, 16)), 32 - bits);
}

/** Replaces gaps, each less one, by their sums on top of `before`. */
export function sumGaps(gaps: usize, before: u32): void {
  const none = i32x4.splat(0);
  let sums = i32x4.splat(before);
  for (let p = gaps; p < gaps + BLOCK_BYTES; p += 16) {
    const ones = i32x4.add(v128.load(p), i32x4.splat(1));
    const pairs = i32x4.add(ones, v128.shuffle<i32>(none, ones, 0, 4, 5, 6));
    const fours = i32x4.add(pairs, v128.shuffle<i32>(none, pairs, 0, 0, 4, 5));
    sums = i32x4.add(fours, v128.shuffle<i32>(sums, sums, 3, 3, 3, 3));
    v128.store(p, sums);
  }
}

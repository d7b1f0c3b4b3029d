// Vectors of one dimension, one after another, and the distance of two of them.
//
// `[u32 kind][u32 dimensions][u32 stride][u32 capacity][codes][scales][block of the codes][unused]`; vector i is at `codes + i * stride`, a multiple of 16 bytes, zero-padded; the
// first begins a cache line. `scales` holds an f32 for each vector: the factor that gives its code length 1; 0 for a vector without a direction. The scales of signs are not used: their
// distance is the number of dimensions that differ.

import { heapAlloc, heapFree } from "../arena";
import { DISTANCE_OFFSET, VECTOR_SET_BYTES, VECTORS_F32, VECTORS_INT8, VECTORS_SIGNS } from "../layout";
import { measuredVector } from "../tables";

@unmanaged
export class VectorSet {
  kind: u32;
  dimCount: u32;
  stride: u32;
  capacity: u32;
  codes: u32;
  scales: u32;
  /** The allocated block; codes begin at its first cache line. */
  codeBlock: u32;
  /** Reserved. */
  unused: u32;
}

/** Shorter vectors have no direction: single precision's epsilon. */
const LEAST_LENGTH: f32 = 1.1920929e-7;
/** Longer vectors are stored shrunk: products of their numbers would exceed single precision. */
const LENGTH_MAX: f64 = 1.152921504606847e18; // 2^60
/** The longest vector of single precision, shrunk by it, is shorter than that. An exact power of two. */
const SHRUNK: f32 = 1.3234889800848443e-23; // 2^-76
/** Bytes of a cache line. */
export const LINE_BYTES: u32 = 64;
/** The largest absolute value of a byte code. */
const CODE_MAX: f32 = 127;

/** An empty set for `capacity` vectors. Traps when memory is exhausted. */
export function vectorSetNew(kind: u32, dimCount: u32, capacity: u32): VectorSet {
  const set = changetype<VectorSet>(heapAlloc(VECTOR_SET_BYTES));
  const bytes = kind == VECTORS_F32 ? dimCount << 2 : kind == VECTORS_INT8 ? dimCount : ((dimCount + 63) >> 6) << 3;
  const stride = (bytes + 15) & ~15; // from one vector to the next
  set.kind = kind;
  set.dimCount = dimCount;
  set.stride = stride;
  set.capacity = capacity;
  // codes that begin at a cache line span no more lines than necessary
  set.codeBlock = <u32>heapAlloc(stride * max<u32>(capacity, 1) + LINE_BYTES - 16);
  set.codes = (set.codeBlock + LINE_BYTES - 1) & ~(LINE_BYTES - 1);
  set.scales = <u32>heapAlloc(max<u32>(capacity, 1) << 2);
  return set;
}

export function vectorSetFree(set: VectorSet): void {
  heapFree(set.codeBlock);
  heapFree(set.scales);
  heapFree(changetype<usize>(set));
}

// @ts-ignore: decorator
@inline export function codeOf(set: VectorSet, index: u32): usize { return <usize>set.codes + <usize>index * <usize>set.stride; }
// @ts-ignore: decorator
@inline export function scaleOf(set: VectorSet, index: u32): f32 { return load<f32>(<usize>set.scales + (<usize>index << 2)); }

/** Writes the code of the `dimCount` f32 at `from` to `to`, where a stride is free; returns its scale. O(dimensions). */
export function encodeVector(set: VectorSet, from: usize, to: usize): f32 {
  measure(from, set.dimCount);
  const length = measured.length;
  const largest = measured.largest;
  memory.fill(to, 0, set.stride);
  if (set.kind == VECTORS_SIGNS) {
    encodeSigns(from, to, set.dimCount);
    return 1;
  }
  const hasDirection = <f32>length > LEAST_LENGTH;
  if (set.kind == VECTORS_F32) {
    if (length > LENGTH_MAX) {
      for (let at: usize = 0, end = <usize>set.dimCount << 2; at < end; at += 4) store<f32>(to + at, load<f32>(from + at) * SHRUNK);
      return <f32>(1 / (length * SHRUNK));
    }
    memory.copy(to, from, <usize>set.dimCount << 2);
    return hasDirection ? <f32>1 / <f32>length : 0;
  }
  if (!hasDirection) return 0;
  const factor = CODE_MAX / largest;
  const splatted = f32x4.splat(factor);
  const dimCount = <usize>set.dimCount;
  let dim: usize = 0;
  for (; dim + 4 <= dimCount; dim += 4) {
    const rounded = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from + (dim << 2)), splatted)));
    const words = i16x8.narrow_i32x4_s(rounded, rounded);
    store<u32>(to + dim, i32x4.extract_lane(i8x16.narrow_i16x8_s(words, words), 0));
  }
  for (; dim < dimCount; dim++) store<i8>(to + dim, <i8>nearest(load<f32>(from + (dim << 2)) * factor));
  return length > LENGTH_MAX ? <f32>(<f64>largest / (CODE_MAX * length)) : largest / (CODE_MAX * <f32>length);
}

@unmanaged
class Measured {
  length: f64;
  largest: f32;
}
const measured = changetype<Measured>(measuredVector);

/** Sets `measured`: the Euclidean length and the largest absolute value. */
function measure(from: usize, dimCount: u32): void {
  let squares: f64 = 0;
  let largest: f32 = 0;
  const end = from + (<usize>dimCount << 2);
  for (let p = from; p < end; p += 4) {
    const value = load<f32>(p);
    squares += <f64>value * <f64>value;
    largest = max<f32>(largest, abs<f32>(value));
  }
  measured.length = Math.sqrt(squares);
  measured.largest = largest;
}

function encodeSigns(from: usize, to: usize, dimCount: u32): void {
  for (let dim: usize = 0; dim < <usize>dimCount; dim++) {
    if (!(load<f32>(from + (dim << 2)) > 0)) continue;
    const at = to + (dim >> 3);
    store<u8>(at, load<u8>(at) | (<u8>1 << <u8>(dim & 7)));
  }
}

/** Encodes `count` vectors of f32 at `from` as the vectors from `index` on. O(count * dimensions). */
export function vectorSetPut(set: VectorSet, index: u32, from: usize, count: u32): void {
  assert(index + count <= set.capacity, "vectors beyond the set");
  const bytes = <usize>set.dimCount << 2;
  for (let i: u32 = 0; i < count; i++) {
    const scale = encodeVector(set, from + <usize>i * bytes, codeOf(set, index + i));
    store<f32>(<usize>set.scales + (<usize>(index + i) << 2), scale);
  }
}

/**
 * Distance of two codes: DISTANCE_OFFSET - cosine, or the number of signs that differ. Never negative, so that the bits of distances have the order of the
 * distances. O(dimensions).
 */
// @ts-ignore: decorator
@inline export function distance(set: VectorSet, a: usize, scaleA: f32, b: usize, scaleB: f32): f32 {
  if (set.kind == VECTORS_INT8) return <f32>DISTANCE_OFFSET - <f32>dotBytes(a, b, set.stride) * scaleA * scaleB;
  if (set.kind == VECTORS_F32) return <f32>DISTANCE_OFFSET - dotFloats(a, b, set.stride) * scaleA * scaleB;
  return <f32>differingSigns(a, b, set.stride);
}

/** Widening loads: two instructions for half a register of both. Four accumulators, so that additions do not wait for each other. */
export function dotBytes(a: usize, b: usize, stride: u32): i32 {
  let s0 = i32x4.splat(0);
  let s1 = i32x4.splat(0);
  let s2 = i32x4.splat(0);
  let s3 = i32x4.splat(0);
  const end = a + stride;
  let p = a;
  let q = b;
  for (; p + 32 <= end; p += 32, q += 32) {
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(p), v128.load8x8_s(q)));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(p, 8), v128.load8x8_s(q, 8)));
    s2 = i32x4.add(s2, i32x4.dot_i16x8_s(v128.load8x8_s(p, 16), v128.load8x8_s(q, 16)));
    s3 = i32x4.add(s3, i32x4.dot_i16x8_s(v128.load8x8_s(p, 24), v128.load8x8_s(q, 24)));
  }
  if (p < end) {
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(p), v128.load8x8_s(q)));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(p, 8), v128.load8x8_s(q, 8)));
  }
  const sums = i32x4.add(i32x4.add(s0, s1), i32x4.add(s2, s3));
  return i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
}

/** Four accumulators of four lanes each, so that additions do not wait for each other. */
export function dotFloats(a: usize, b: usize, stride: u32): f32 {
  let s0 = f32x4.splat(0);
  let s1 = f32x4.splat(0);
  let s2 = f32x4.splat(0);
  let s3 = f32x4.splat(0);
  const end = a + stride;
  let p = a;
  let q = b;
  for (; p + 64 <= end; p += 64, q += 64) {
    s0 = f32x4.add(s0, f32x4.mul(v128.load(p), v128.load(q)));
    s1 = f32x4.add(s1, f32x4.mul(v128.load(p, 16), v128.load(q, 16)));
    s2 = f32x4.add(s2, f32x4.mul(v128.load(p, 32), v128.load(q, 32)));
    s3 = f32x4.add(s3, f32x4.mul(v128.load(p, 48), v128.load(q, 48)));
  }
  for (; p < end; p += 16, q += 16) s0 = f32x4.add(s0, f32x4.mul(v128.load(p), v128.load(q)));
  const sums = f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3));
  return f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1) + f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3);
}

function differingSigns(a: usize, b: usize, stride: u32): u32 {
  let count: u64 = 0;
  const end = a + stride;
  for (let p = a, q = b; p < end; p += 16, q += 16) {
    count += popcnt(load<u64>(p) ^ load<u64>(q)) + popcnt(load<u64>(p, 8) ^ load<u64>(q, 8));
  }
  return <u32>count;
}

// Reading one node of the dictionary's radix tree. Byte layout: docs/internals/kernel-dictionary.md.

import { dictionaryWork } from "../tables";

/** Bytes before the root node: u32 word count, u32 byte size of the tree. */
export const HEADER_BYTES: usize = 8;
/** Flag of a node whose path is a word. */
export const TERMINAL: u32 = 0x80;
/** Flag of a node that has children, hence a word count and a child byte size. */
export const INNER: u32 = 0x40;
/** Label lengths from here on take two bytes of their own. */
const LENGTH_ESCAPE: u32 = 0x3f;

/** Work area, in bytes from its start: the caller's input, the results, the bytes of the path being walked. */
const RESULT_OFFSET: usize = 2048;
const PATH_OFFSET: usize = 2048 + 16384;
/** Bytes of the result part. */
export const RESULT_BYTES: usize = 16384;

/** Static, so that no dictionary operation allocates. */
const work: usize = dictionaryWork;

/** Where the caller writes a word's bytes or code points. */
@inline
export function inputArea(): usize { return work; }

/** Where results are left for the caller. */
@inline
export function resultArea(): usize { return work + RESULT_OFFSET; }

@inline
export function pathArea(): usize { return work + PATH_OFFSET; }

/** Byte length of the label. */
@inline
export function labelLength(node: usize): u32 {
  const length = <u32>load<u8>(node) & LENGTH_ESCAPE;
  return length == LENGTH_ESCAPE ? <u32>load<u16>(node, 1) : length;
}

/** Address of the label. */
@inline
export function labelStart(node: usize): usize { return ((<u32>load<u8>(node)) & LENGTH_ESCAPE) == LENGTH_ESCAPE ? node + 3 : node + 1; }

/** Value of the little-endian base-128 number at `at`. */
@inline
export function varint(at: usize): u32 {
  const byte = <u32>load<u8>(at);
  return byte < 0x80 ? byte : longVarint(at);
}

/** Address after the number at `at`. */
@inline
export function afterVarint(at: usize): usize {
  while (load<u8>(at) >= 0x80) at++;
  return at + 1;
}

/** Words in the node and below it. */
@inline
export function wordCountOf(node: usize): u32 { return load<u8>(node) & INNER ? varint(labelStart(node) + labelLength(node)) : 1; }

/** Address of the first child; where there is none, the address after the node. */
@inline
export function childrenOf(node: usize): usize {
  const labelEnd = labelStart(node) + labelLength(node);
  return load<u8>(node) & INNER ? afterVarint(afterVarint(labelEnd)) : labelEnd;
}

/** Address after the node and everything below it. */
@inline
export function nodeEnd(node: usize): usize {
  const labelEnd = labelStart(node) + labelLength(node);
  if (!(load<u8>(node) & INNER)) return labelEnd;
  const sizeAt = afterVarint(labelEnd);
  return afterVarint(sizeAt) + varint(sizeAt);
}

function longVarint(at: usize): u32 {
  let value: u32 = 0;
  let shift: u32 = 0;
  let byte: u32;
  do {
    byte = <u32>load<u8>(at++);
    value |= (byte & 0x7f) << shift;
    shift += 7;
  } while (byte >= 0x80);
  return value;
}

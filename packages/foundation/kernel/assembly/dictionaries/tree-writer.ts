// Writes a dictionary (docs/internals/kernel-dictionary.md) from byte-sorted distinct words. It is written from its end to its
// start: a node's children are done, and measured, before its header.

import { heapAlloc, heapFree } from "../arena";
import { HEADER_BYTES, INNER, TERMINAL } from "./dictionary-node";
import { DICTIONARY_WORD_BYTES_MAX } from "../layout";

const LENGTH_ESCAPE: u32 = 0x3f;
/** Flags, an escaped label length and two numbers of at most five bytes. */
const NODE_BYTES_MAX: u64 = 13;

// The tree being written: `words` are pairs [u32 address][u32 length]; `shared` (u16) is the number of bytes that a word shares with the previous one.
let words: usize = 0;
let shared: usize = 0;
let at: usize = 0;

// @ts-ignore: decorator
@inline function wordBytes(index: u32): usize { return load<u32>(words + (<usize>index << 3)); }
// @ts-ignore: decorator
@inline function wordLength(index: u32): u32 { return load<u32>(words + (<usize>index << 3), 4); }
// @ts-ignore: decorator
@inline function sharedAt(index: u32): u32 { return <u32>load<u16>(shared + (<usize>index << 1)); }

/** Address and size of the dictionary that `writeTree` made. */
export let treeStart: usize = 0;
export let treeBytes: u32 = 0;

export function dictionaryBuilt(): usize { return treeStart; }
export function dictionaryBuiltBytes(): u32 { return treeBytes; }

/** Returns the heap block that holds the dictionary (at treeStart). The words must be sorted, distinct and at most of the length limit. */
export function writeTree(pairs: usize, count: u32): usize {
  words = pairs;
  let bound: u64 = HEADER_BYTES + NODE_BYTES_MAX;
  shared = heapAlloc((count << 1) + 2);
  for (let i: u32 = 0; i < count; i++) {
    assert(wordLength(i) <= <u32>DICTIONARY_WORD_BYTES_MAX, "a word too long for a dictionary");
    const common = i == 0 ? 0 : commonLength(i);
    store<u16>(shared + (<usize>i << 1), <u16>common);
    // A word adds a leaf and splits at most one node; shared bytes belong to nodes above it.
    bound += wordLength(i) - common + 2 * NODE_BYTES_MAX;
  }
  if (bound > 0xfff00000) unreachable();
  const block = heapAlloc(<u32>bound);
  const end = block + <usize>bound;
  at = end;
  if (count == 0) writeByte(0);
  else writeRoot(count);
  const tree = <u32>(end - at);
  at -= HEADER_BYTES;
  store<u32>(at, count);
  store<u32>(at, tree, 4);
  treeStart = at;
  treeBytes = tree + <u32>HEADER_BYTES;
  heapFree(shared);
  return block;
}

/** Bytes in common with the word before. */
function commonLength(index: u32): u32 {
  const left = wordBytes(index - 1);
  const right = wordBytes(index);
  const leftLength = wordLength(index - 1);
  const rightLength = wordLength(index);
  const length = min(leftLength, rightLength);
  let i: u32 = 0;
  while (i < length && load<u8>(left + i) == load<u8>(right + i)) i++;
  assert(i < rightLength && (i == leftLength || load<u8>(left + i) < load<u8>(right + i)), "words out of order");
  return i;
}

/** The root has an empty label, so that walks start the same in every dictionary. */
function writeRoot(count: u32): void {
  const isWord = wordLength(0) == 0;
  const end = at;
  writeChildren(isWord ? 1 : 0, count, 0);
  writeHeader(isWord, count, end, 0, 0, 0);
}

/** Writes the children of the words [from, to) below the first `depth` bytes, which they share. */
function writeChildren(from: u32, to: u32, depth: u32): void {
  let groupEnd = to;
  for (let i = to; i > from; ) {
    i--;
    if (i > from && sharedAt(i) > depth) continue;
    writeNode(i, groupEnd, depth);
    groupEnd = i;
  }
}

/** Writes the node of the words [from, to): nodes above hold their first `depth` bytes, and they share at least one more. */
function writeNode(from: u32, to: u32, depth: u32): void {
  let labelEnd = wordLength(from);
  for (let i = from + 1; i < to; i++) labelEnd = min(labelEnd, sharedAt(i));
  const isWord = wordLength(from) == labelEnd;
  const end = at;
  if (to - from > 1) writeChildren(isWord ? from + 1 : from, to, labelEnd);
  writeHeader(isWord, to - from, end, from, depth, labelEnd);
}

/** Writes what precedes the children: flags, label (bytes [start, stop) of a word), and counts where there are any. */
function writeHeader(isWord: bool, count: u32, end: usize, word: u32, start: u32, stop: u32): void {
  const childBytes = <u32>(end - at);
  if (childBytes > 0) {
    writeVarint(childBytes);
    writeVarint(count);
  }
  const length = stop - start;
  at -= length;
  memory.copy(at, wordBytes(word) + start, length);
  const flags = (isWord ? TERMINAL : 0) | (childBytes > 0 ? INNER : 0);
  if (length < LENGTH_ESCAPE) {
    writeByte(flags | length);
    return;
  }
  at -= 2;
  store<u16>(at, <u16>length);
  writeByte(flags | LENGTH_ESCAPE);
}

// @ts-ignore: decorator
@inline function writeByte(value: u32): void { store<u8>(--at, <u8>value); }

/** Little-endian base 128, written from its last byte backwards. */
function writeVarint(value: u32): void {
  let shift: u32 = 0;
  while (shift < 28 && value >> (shift + 7) != 0) shift += 7;
  writeByte((value >> shift) & 0x7f);
  while (shift > 0) {
    shift -= 7;
    writeByte(((value >> shift) & 0x7f) | 0x80);
  }
}

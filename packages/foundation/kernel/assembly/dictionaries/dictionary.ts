// Lookups in a dictionary: an immutable radix tree over the bytes of its words, serialised in preorder.

import {
  HEADER_BYTES, INNER, RESULT_BYTES, TERMINAL,
  childrenOf, inputArea, labelLength, labelStart, nodeEnd, pathArea, resultArea, wordCountOf,
} from './dictionary-node';
import { DICTIONARY_WORD_BYTES_MAX } from '../layout';

export { dictionaryFuzzy } from './dictionary-fuzzy';
export { dictionariesFuzzy, dictionariesFuzzyBytes } from './dictionaries-fuzzy';

/** Result of `locate`: the node whose path first covers the word, its ordinal, and the number of path bytes beyond the word. */
let locatedNode: usize = 0;
let locatedOrdinal: u32 = 0;
let locatedBeyond: u32 = 0;

/** State of a word listing: the wanted ordinals, the next address to write, and the end of the area. */
let firstWanted: u32 = 0;
let lastWanted: u32 = 0;
let writeAt: usize = 0;
let writeEnd: usize = 0;
let writtenCount: u32 = 0;
let isFull: bool = false;

/** Address of the work area: the input at its start, the results 2,048 bytes later. */
export function dictionaryWork(): usize { return inputArea(); }

/** Ordinal of the `length` bytes in the input area, or -1. O(depth x siblings). */
export function dictionaryFind(dictionary: usize, length: u32): i32 { return find(dictionary, inputArea(), length); }

function find(dictionary: usize, input: usize, length: u32): i32 {
  if (!locate(dictionary, input, length) || locatedBeyond != 0) return -1;
  return load<u8>(locatedNode) & TERMINAL ? <i32>locatedOrdinal : -1;
}

/**
 * Splits of the `length` bytes in the input area into a word of one dictionary and one of another: writes the byte length of the left word and both ordinals,
 * ordered by that length, to the result area. Returns how many.
 */
export function dictionaryCuts(leftDictionary: usize, rightDictionary: usize, length: u32): u32 {
  const input = inputArea();
  let node = leftDictionary + HEADER_BYTES;
  let end = nodeEnd(node);
  let ordinal: u32 = 0;
  let done: u32 = 0;
  let out = resultArea();
  // Descends along the input, as `locate` does: every word on the path is a left word.
  while (done < length) {
    if (load<u8>(node) & TERMINAL) {
      const right = done == 0 ? -1 : find(rightDictionary, input + <usize>done, length - done);
      if (right != -1) {
        store<u32>(out, done);
        store<u32>(out, ordinal, 4);
        store<u32>(out, right, 8);
        out += 12;
      }
      ordinal++;
    }
    node = childrenOf(node);
    const wanted = load<u8>(input + <usize>done);
    while (node < end && load<u8>(labelStart(node)) < wanted) {
      ordinal += wordCountOf(node);
      node = nodeEnd(node);
    }
    if (node >= end) break;
    const bytes = labelLength(node);
    if (bytes > length - done || memory.compare(labelStart(node), input + <usize>done, bytes) != 0) break;
    done += bytes;
    end = nodeEnd(node);
  }
  return <u32>(out - resultArea()) / 12;
}

/** Number of words starting with the `length` bytes in the input area; the first one's ordinal goes to the results. */
export function dictionaryPrefix(dictionary: usize, length: u32): u32 {
  if (!locate(dictionary, inputArea(), length)) return 0;
  store<u32>(resultArea(), locatedOrdinal);
  return wordCountOf(locatedNode);
}

/**
 * Writes the words of ordinals [from, to) into the result area, each as u16 byte length and bytes, as many as surely fit. Returns how many: at least one
 * unless the range is empty.
 */
export function dictionaryWords(dictionary: usize, from: u32, to: u32): u32 {
  firstWanted = from;
  lastWanted = to;
  writeAt = resultArea();
  writeEnd = writeAt + RESULT_BYTES;
  writtenCount = 0;
  isFull = from >= to;
  const root = dictionary + HEADER_BYTES;
  if (!isFull) list(root, nodeEnd(root), 0, 0);
  return writtenCount;
}

/** Descends along the input; false when no word starts with it. */
function locate(dictionary: usize, input: usize, length: u32): bool {
  let node = dictionary + HEADER_BYTES;
  let end = nodeEnd(node);
  let ordinal: u32 = 0;
  let done: u32 = 0;
  // The root is the only node with an empty label.
  while (done < length) {
    const isWord = (load<u8>(node) & TERMINAL) != 0;
    const children = childrenOf(node);
    if (isWord) ordinal++;
    node = children;
    const wanted = load<u8>(input + <usize>done);
    while (node < end && load<u8>(labelStart(node)) < wanted) {
      ordinal += wordCountOf(node);
      node = nodeEnd(node);
    }
    if (node >= end) return false;
    const label = labelStart(node);
    const bytes = labelLength(node);
    const shared = min(bytes, length - done);
    for (let i: u32 = 0; i < shared; i++) {
      if (load<u8>(label + <usize>i) != load<u8>(input + <usize>(done + i))) return false;
    }
    locatedBeyond = bytes - shared;
    done += shared;
    end = nodeEnd(node);
  }
  if (length == 0) locatedBeyond = 0;
  locatedNode = node;
  locatedOrdinal = ordinal;
  return true;
}

/** Lists the wanted words among the siblings in [node, end), the first at `ordinal`, under a path of `length` bytes. */
function list(node: usize, end: usize, ordinal: u32, length: u32): void {
  while (node < end && !isFull) {
    const next = nodeEnd(node);
    const after = ordinal + wordCountOf(node);
    if (after > firstWanted) {
      const bytes = labelLength(node);
      memory.copy(pathArea() + <usize>length, labelStart(node), bytes);
      const isWord = (load<u8>(node) & TERMINAL) != 0;
      if (isWord && ordinal >= firstWanted) writeWord(length + bytes);
      if (load<u8>(node) & INNER) list(childrenOf(node), next, ordinal + u32(isWord), length + bytes);
    }
    ordinal = after;
    node = next;
  }
}

function writeWord(length: u32): void {
  if (isFull) return;
  store<u16>(writeAt, <u16>length);
  memory.copy(writeAt + 2, pathArea(), length);
  writeAt += 2 + <usize>length;
  writtenCount++;
  isFull = firstWanted + writtenCount >= lastWanted || writeAt + 2 + <usize>DICTIONARY_WORD_BYTES_MAX > writeEnd;
}

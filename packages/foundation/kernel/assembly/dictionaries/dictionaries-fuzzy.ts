// Fuzzy search over several dictionaries, joined: finds what one dictionary with the words of all of them would find.
//
// Each dictionary is walked on its own. A word that is cut off by the limits of its own dictionary would be cut off in the union too, because as many words
// of its kind precede it. So joining two findings by word and applying the same limits loses nothing.

import { ONE_MAX, RESULT_MAX, TWO_MAX, dictionaryFuzzy } from './dictionary-fuzzy';
import {
  HEADER_BYTES, INNER, TERMINAL, childrenOf, labelLength, labelStart, nodeEnd, pathArea, resultArea, wordCountOf,
} from './dictionary-node';
import { DICTIONARY_WORD_BYTES_MAX } from '../layout';

// A finding is `[u32 count][200 heads][200 rows][bytes of the words]`. A head is `[u32 address of the word][u16 its length][u8 distance][u8 1 for another
// first character, 2 for a word that counts as one of two typos]`. A row has one i32 for each dictionary: the word's ordinal there, or -1.
const HEADS: usize = 4;
const HEAD_BYTES: usize = 8;
const ROWS: usize = HEADS + RESULT_MAX * HEAD_BYTES;
const DIFFERS: u32 = 1;
const COUNTS_AS_TWO: u32 = 2;

/** The number of dictionaries of the running call. */
let width: usize = 0;
/** The ordinals that are still to be listed, and the finding that they go into. */
let nextOrdinal: usize = 0;
let ordinalsEnd: usize = 0;
let listHead: usize = 0;
let listBytes: usize = 0;

@inline
function rowBytes(): usize { return width << 2; }
@inline
function wordsStart(finding: usize): usize { return finding + ROWS + RESULT_MAX * rowBytes(); }
@inline
function headAt(finding: usize, at: u32): usize { return finding + HEADS + <usize>at * HEAD_BYTES; }
@inline
function rowAt(finding: usize, at: u32): usize { return finding + ROWS + <usize>at * rowBytes(); }

function findingBytes(): usize { return (ROWS + RESULT_MAX * (rowBytes() + <usize>DICTIONARY_WORD_BYTES_MAX) + 3) & ~3; }

/** Bytes of the work area for this many dictionaries. */
export function dictionariesFuzzyBytes(count: u32): u32 {
  width = count;
  return <u32>(rowBytes() + 3 * findingBytes());
}

/**
 * Walks `count` dictionaries (0: none), whose addresses begin the area, for the query word in the input area, as `dictionaryFuzzy` does. Returns the address
 * of the finding within the area; its words are in byte order.
 */
export function dictionariesFuzzy(area: usize, count: u32, length: i32, budget: i32, prefix: i32): usize {
  width = count;
  const size = findingBytes();
  let joined = area + rowBytes();
  let spare = joined + size;
  const found = spare + size;
  store<u32>(joined, 0);
  for (let column: u32 = 0; column < count; column++) {
    const dictionary = <usize>load<u32>(area + (<usize>column << 2));
    if (dictionary == 0 || load<u32>(dictionary) == 0) continue;
    const wordCount = dictionaryFuzzy(dictionary, length, budget, prefix);
    if (wordCount == 0) continue;
    listFound(found, dictionary, wordCount);
    join(joined, found, spare, column, budget);
    const before = joined;
    joined = spare;
    spare = before;
  }
  return joined;
}

/** Makes a finding from the result area of a walk. Its rows are left out, except that the first column of each is the ordinal. */
function listFound(found: usize, dictionary: usize, wordCount: u32): void {
  store<u32>(found, wordCount);
  const results = resultArea();
  for (let i: u32 = 0; i < wordCount; i++) {
    const head = headAt(found, i);
    store<u8>(head, load<u8>(results + (RESULT_MAX << 2) + <usize>i), 6);
    store<u8>(head, load<u8>(results + RESULT_MAX * 5 + <usize>i), 7);
    store<u32>(rowAt(found, i), load<u32>(results + (<usize>i << 2)));
  }
  nextOrdinal = results;
  ordinalsEnd = results + (<usize>wordCount << 2);
  listHead = headAt(found, 0);
  listBytes = wordsStart(found);
  const root = dictionary + HEADER_BYTES;
  list(root, nodeEnd(root), 0, 0);
}

/** Lists the remaining words among the siblings in [node, end), the first at `ordinal`, under a path of `length` bytes. */
function list(node: usize, end: usize, ordinal: u32, length: u32): void {
  while (node < end && nextOrdinal < ordinalsEnd) {
    const next = nodeEnd(node);
    const after = ordinal + wordCountOf(node);
    if (after > load<u32>(nextOrdinal)) {
      const bytes = labelLength(node);
      memory.copy(pathArea() + <usize>length, labelStart(node), bytes);
      const isWord = (load<u8>(node) & TERMINAL) != 0;
      if (isWord && ordinal == load<u32>(nextOrdinal)) listWord(length + bytes);
      if (load<u8>(node) & INNER) list(childrenOf(node), next, ordinal + u32(isWord), length + bytes);
    }
    ordinal = after;
    node = next;
  }
}

function listWord(length: u32): void {
  memory.copy(listBytes, pathArea(), length);
  store<u32>(listHead, <u32>listBytes);
  store<u16>(listHead, <u16>length, 4);
  listHead += HEAD_BYTES;
  listBytes += <usize>length;
  nextOrdinal += 4;
}

/** Joins an earlier finding with that of the dictionary at `column`, up to the limits of one walk. */
function join(before: usize, found: usize, target: usize, column: u32, budget: i32): void {
  const beforeCount = load<u32>(before);
  const foundCount = load<u32>(found);
  let i: u32 = 0;
  let j: u32 = 0;
  let count: u32 = 0;
  let ones = 0;
  let twos = 0;
  let bytes = wordsStart(target);
  while (i < beforeCount || j < foundCount) {
    const order = i == beforeCount ? 1 : j == foundCount ? -1 : compareWords(headAt(before, i), headAt(found, j));
    const source = order <= 0 ? headAt(before, i) : headAt(found, j);
    const distance = load<u8>(source, 6);
    const differs = <u32>load<u8>(source, 7) & DIFFERS;
    const isTwo = distance == 2 || (budget == 2 && differs != 0 && twos < TWO_MAX);
    if (isTwo ? twos < TWO_MAX : ones < ONE_MAX) {
      const row = rowAt(target, count);
      if (order <= 0) memory.copy(row, rowAt(before, i), rowBytes());
      else memory.fill(row, 0xff, rowBytes());
      if (order >= 0) store<u32>(row + (<usize>column << 2), load<u32>(rowAt(found, j)));
      const length = load<u16>(source, 4);
      memory.copy(bytes, load<u32>(source), length);
      const head = headAt(target, count++);
      store<u32>(head, <u32>bytes);
      store<u16>(head, length, 4);
      store<u8>(head, distance, 6);
      store<u8>(head, <u8>(isTwo ? differs | COUNTS_AS_TWO : differs), 7);
      bytes += <usize>length;
      if (isTwo) twos++;
      else ones++;
    }
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  store<u32>(target, count);
}

/** Compares the words of two heads by their bytes. */
function compareWords(left: usize, right: usize): i32 {
  const leftLength = <i32>load<u16>(left, 4);
  const rightLength = <i32>load<u16>(right, 4);
  const order = memory.compare(load<u32>(left), load<u32>(right), min(leftLength, rightLength));
  return order != 0 ? order : leftLength - rightLength;
}

// Windows that are stored with a segment: for each common word, and each common prefix of 1 to 7 bytes, the documents by field and by early position. Words
// come in byte order. The documents of a word or prefix are collected in a level: as entries while they are few, then as bitmaps. A finished prefix is added
// to the prefix that is a byte shorter. docs/internals/storage-layout.md draws the bytes.

import { grown, heapAlloc, heapFree } from "../arena";
import { blockCounts, blockDocs, keyEnd, left, listDocCount, nextBlock, open, readKey } from "../postings/cursor";
import { writeVarint } from "../postings/encode";
import { Inverter } from "./inverter";
import { WINDOW_COMMON_SHARE, WINDOW_FIELDS_MAX, WINDOW_POSITIONS, WINDOW_RECORD_BYTES, WINDOW_SLOTS, WINDOW_WORDS_MIN } from "../layout";

/** Levels: words, then prefixes of 1 to 7 bytes. */
const WORD: u32 = 0;
const DEPTH_MAX: u32 = 7;
const LEVELS: u32 = DEPTH_MAX + 1;
/** The key of a prefix of more bytes is not its bytes, but the ordinal of its first word. */
const KEY_BYTES: u32 = 4;
/** The entries of a level become bitmaps when there is one entry in this many documents of the stretch: both then need as much memory. */
const DENSE_SHARE: u32 = 64;
const ENTRIES_MIN: u32 = 64;
const FIRST_OUT_BYTES: u32 = 1 << 16;

@unmanaged
class Writer {
  firstDoc: u32;
  laneBytes: u32;
  /** Number of fields with a window each; 0: the first window has all documents. */
  fieldCount: u32;
  /** 1 once a key was of another field: the output is then invalid. */
  hasOtherFields: u32;
  /** The last word: its first eight bytes, and its length. */
  head: u64;
  table: u32;
  length: u32;
  ordinal: u32;
  out: usize;
  outUsed: u32;
  outCapacity: u32;
  /** Bytes of windows that were taken before those in `out`. */
  taken: u32;
  records: usize;
  recordsUsed: u32;
  recordsCapacity: u32;
}

@unmanaged
class Level {
  entries: usize;
  count: u32;
  isDense: u32;
  /** Windows that are not empty, a bit each. */
  touched: u32;
  wordCount: u32;
  /** Sum of the document counts of all its words. */
  docSum: u32;
  /** The ordinal of its first word. */
  first: u32;
}

const LEVEL_BYTES: usize = offsetof<Level>() + (<usize>WINDOW_SLOTS << 2);

// @ts-ignore: decorator
@inline function levelAt(writer: Writer, level: u32): Level {
  return changetype<Level>(changetype<usize>(writer) + offsetof<Writer>() + <usize>level * LEVEL_BYTES);
}
// @ts-ignore: decorator
@inline function slotAt(level: Level, slot: u32): usize { return changetype<usize>(level) + offsetof<Level>() + (<usize>slot << 2); }
// @ts-ignore: decorator
@inline function spanOf(writer: Writer): u32 { return writer.laneBytes << 3; }
// @ts-ignore: decorator
@inline function entriesMax(writer: Writer): u32 { return max(ENTRIES_MIN, spanOf(writer) / DENSE_SHARE); }

/** A writer for documents [firstDoc, lastDoc]. */
export function windowsNew(firstDoc: u32, lastDoc: u32, fieldCount: u32): usize {
  const bytes = offsetof<Writer>() + <usize>LEVELS * LEVEL_BYTES;
  const at = heapAlloc(<u32>bytes);
  memory.fill(at, 0, bytes);
  const writer = changetype<Writer>(at);
  writer.firstDoc = firstDoc & ~127;
  writer.laneBytes = ((lastDoc >> 7) - (firstDoc >> 7) + 1) << 4;
  writer.fieldCount = fieldCount <= <u32>WINDOW_FIELDS_MAX ? fieldCount : 0;
  return at;
}

export function windowsFree(at: usize): void {
  const writer = changetype<Writer>(at);
  for (let i: u32 = 0; i < LEVELS; i++) {
    const level = levelAt(writer, i);
    heapFree(level.entries);
    for (let slot: u32 = 0; slot < <u32>WINDOW_SLOTS; slot++) heapFree(load<u32>(slotAt(level, slot)));
  }
  heapFree(writer.out);
  heapFree(writer.records);
  heapFree(at);
}

/** Sets the table of the following words. */
export function windowsTable(at: usize, table: u32): void {
  const writer = changetype<Writer>(at);
  closeBeyond(writer, 0);
  writer.table = table;
  writer.ordinal = 0;
  writer.length = 0;
}

/** Adds the next word: its first eight bytes, the first one highest, zero-padded; its length in bytes, and its list. O(occurrences). */
export function windowsAdd(at: usize, high: u32, low: u32, length: u32, list: usize): void {
  addWord(changetype<Writer>(at), (<u64>high << 32) | low, length, list);
}

function addWord(writer: Writer, head: u64, length: u32, list: usize): void {
  const differing = <u32>(clz(head ^ writer.head) >> 3);
  closeBeyond(writer, min(differing, min(length, writer.length)));
  writer.head = head;
  writer.length = length;
  const ordinal = writer.ordinal++;
  const depth = min<u32>(length, DEPTH_MAX);
  const docCount = listDocCount(list);
  for (let i: u32 = 1; i <= depth; i++) {
    const level = levelAt(writer, i);
    if (level.wordCount == 0) level.first = ordinal;
    level.wordCount++;
    level.docSum += docCount;
  }
  if (depth == 0) return;
  if (docCount * WINDOW_COMMON_SHARE < spanOf(writer)) {
    collect(writer, levelAt(writer, depth), list);
    return;
  }
  const word = levelAt(writer, WORD);
  word.docSum = docCount;
  densify(writer, word);
  collect(writer, word, list);
  record(writer, word, writer.table << 3, ordinal);
  pass(writer, word, levelAt(writer, depth));
}

/** Adds words of the inverter's last table from `from` on, until there are `bytes` bytes to take; returns the index of the next word. */
export function windowsAddTable(at: usize, inverterAt: usize, wordCount: u32, from: u32, bytes: u32): u32 {
  const inverter = changetype<Inverter>(inverterAt);
  const writer = changetype<Writer>(at);
  let word = from;
  while (word < wordCount && writer.outUsed < bytes) {
    const pair = inverter.words + (<usize>word << 3);
    const length = load<u32>(pair, 4);
    // words are padded with zeros
    addWord(writer, bswap(load<u64>(load<u32>(pair))), length, inverter.out + load<u32>(inverter.offsets + (<usize>word << 2)));
    word++;
  }
  return word;
}

/** Closes all prefixes. */
export function windowsEnd(at: usize): void { closeBeyond(changetype<Writer>(at), 0); }

export function windowsOut(at: usize): usize { return changetype<Writer>(at).out; }
export function windowsOutBytes(at: usize): u32 { return changetype<Writer>(at).outUsed; }
export function windowsRecords(at: usize): usize { return changetype<Writer>(at).records; }
export function windowsRecordBytes(at: usize): u32 {
  const writer = changetype<Writer>(at);
  return writer.hasOtherFields != 0 ? 0 : writer.recordsUsed;
}

/** Declares that the bytes in `windowsOut` were taken. */
export function windowsTaken(at: usize): void {
  const writer = changetype<Writer>(at);
  writer.taken += writer.outUsed;
  writer.outUsed = 0;
}

/** Adds the documents of a list, with their fields and positions, to the level. */
function collect(writer: Writer, level: Level, list: usize): void {
  const cursor = left;
  open(cursor, list, 0);
  const docs = blockDocs(cursor);
  const fieldCount = writer.fieldCount;
  while (nextBlock(cursor)) {
    const more = blockCounts(cursor);
    const end = <usize>cursor.count << 2;
    let from = cursor.keyAt;
    for (let i: usize = 0; i < end; i += 4) {
      let key = readKey(from);
      let has = slotsOf(key, fieldCount);
      for (let rest = load<u32>(more + i); rest != 0; rest--) {
        key += readKey(keyEnd) + 1;
        has |= slotsOf(key, fieldCount);
      }
      from = keyEnd;
      if (fieldCount != 0 && key >> 16 >= fieldCount) {
        writer.hasOtherFields = 1;
        continue;
      }
      add(writer, level, load<u32>(docs + i) - writer.firstDoc, has);
    }
  }
}

// @ts-ignore: decorator
@inline function slotsOf(key: u32, fieldCount: u32): u32 {
  const position = key & 0xffff;
  const field: u32 = 1 << (fieldCount == 0 ? 0 : key >> 16);
  return position < <u32>WINDOW_POSITIONS ? field | (<u32>1 << (WINDOW_FIELDS_MAX + position)) : field;
}

function add(writer: Writer, level: Level, bit: u32, has: u32): void {
  if (level.isDense == 0) {
    if (level.count < entriesMax(writer)) {
      if (level.entries == 0) level.entries = heapAlloc(entriesMax(writer) << 3);
      store<u64>(level.entries + (<usize>level.count << 3), (<u64>has << 32) | bit);
      level.count++;
      return;
    }
    densify(writer, level);
  }
  scatter(writer, level, bit, has);
}

function scatter(writer: Writer, level: Level, bit: u32, has: u32): void {
  const byte = <usize>(bit >> 3);
  const mask: u32 = 1 << (bit & 7);
  const unmade = has & ~level.touched;
  if (unmade != 0) touch(writer, level, unmade);
  for (let rest = has; rest != 0; rest &= rest - 1) {
    const at = <usize>load<u32>(slotAt(level, <u32>ctz(rest))) + byte;
    store<u8>(at, <u8>(<u32>load<u8>(at) | mask));
  }
}

/** Allocates the windows that the level did not have. */
function touch(writer: Writer, level: Level, slots: u32): void {
  level.touched |= slots;
  for (let rest = slots; rest != 0; rest &= rest - 1) {
    const at = slotAt(level, <u32>ctz(rest));
    if (load<u32>(at) == 0) store<u32>(at, <u32>heapAlloc(writer.laneBytes));
    memory.fill(load<u32>(at), 0, writer.laneBytes);
  }
}

/** Turns entries into windows. */
function densify(writer: Writer, level: Level): void {
  if (level.isDense != 0) return;
  level.isDense = 1;
  const end = level.entries + (<usize>level.count << 3);
  for (let p = level.entries; p < end; p += 8) scatter(writer, level, load<u32>(p), load<u32>(p, 4));
  level.count = 0;
}

/** Moves the content of one level into another. */
function pass(writer: Writer, from: Level, to: Level): void {
  if (from.isDense == 0) {
    const end = from.entries + (<usize>from.count << 3);
    for (let p = from.entries; p < end; p += 8) add(writer, to, load<u32>(p), load<u32>(p, 4));
  } else {
    densify(writer, to);
    const unmade = from.touched & ~to.touched;
    if (unmade != 0) touch(writer, to, unmade);
    for (let rest = from.touched; rest != 0; rest &= rest - 1) {
      const source = <usize>load<u32>(slotAt(from, <u32>ctz(rest)));
      const target = <usize>load<u32>(slotAt(to, <u32>ctz(rest)));
      for (let i: usize = 0; i < <usize>writer.laneBytes; i += 16) {
        v128.store(target + i, v128.or(v128.load(target + i), v128.load(source + i)));
      }
    }
  }
  empty(from);
}

function empty(level: Level): void {
  level.count = 0;
  level.isDense = 0;
  level.touched = 0;
  level.wordCount = 0;
  level.docSum = 0;
}

/** Closes the prefixes that are longer than this many bytes. */
function closeBeyond(writer: Writer, length: u32): void {
  for (let depth = min<u32>(writer.length, DEPTH_MAX); depth > length; depth--) {
    const level = levelAt(writer, depth);
    const head = writer.head >> <u64>((8 - depth) << 3);
    if (level.isDense != 0 && level.wordCount >= <u32>WINDOW_WORDS_MIN && endsWhole(head, depth)) {
      record(writer, level, (writer.table << 3) | depth, depth > KEY_BYTES ? level.first : <u32>head);
    }
    if (depth > 1) pass(writer, level, levelAt(writer, depth - 1));
    else empty(level);
  }
}

/** Whether this many bytes, the last one lowest, are complete UTF-8 characters. */
function endsWhole(head: u64, length: u32): bool {
  let at: u32 = 0;
  while (at < length) {
    const byte = <u32>(head >> <u64>((length - 1 - at) << 3)) & 0xff;
    at += byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  }
  return at == length;
}

/** Writes the windows of a level, and the record that locates them. */
function record(writer: Writer, level: Level, kind: u32, key: u32): void {
  const needed = writer.recordsUsed + <u32>WINDOW_RECORD_BYTES + (<u32>WINDOW_SLOTS << 2);
  if (needed > writer.recordsCapacity) {
    writer.recordsCapacity = max(needed, max(FIRST_OUT_BYTES, writer.recordsCapacity << 1));
    writer.records = grown(writer.records, writer.recordsUsed, writer.recordsCapacity);
  }
  const at = writer.records + writer.recordsUsed;
  store<u32>(at, kind);
  store<u32>(at, key, 4);
  store<u32>(at, level.docSum, 8);
  store<u32>(at, writer.taken + writer.outUsed, 12);
  store<u32>(at, level.touched, 16);
  let p = at + WINDOW_RECORD_BYTES;
  for (let rest = level.touched; rest != 0; rest &= rest - 1, p += 4) {
    store<u32>(p, encode(writer, load<u32>(slotAt(level, <u32>ctz(rest)))));
  }
  writer.recordsUsed += <u32>(p - at);
}

/** Writes a window: differences of bits, or its lanes where these take no more bytes. Returns the number of bytes. */
function encode(writer: Writer, window: usize): u32 {
  const bytes = writer.laneBytes;
  const needed = writer.outUsed + bytes + 16;
  if (needed > writer.outCapacity) {
    writer.outCapacity = max(needed, max(FIRST_OUT_BYTES, writer.outCapacity + (writer.outCapacity >> 1)));
    writer.out = grown(writer.out, writer.outUsed, writer.outCapacity);
  }
  const out = writer.out + writer.outUsed;
  let used = gaps(window, bytes, out);
  if (used == bytes) memory.copy(out, window, bytes);
  writer.outUsed += used;
  return used;
}

/** Writes the difference of each bit to the previous one, less one; returns the bytes, or `bytes` when they would not be fewer. */
function gaps(window: usize, bytes: u32, out: usize): u32 {
  let count: u64 = 0;
  const end = window + bytes;
  for (let p = window; p < end; p += 8) count += popcnt(load<u64>(p));
  if (count >= bytes) return bytes;
  let p = out;
  const outEnd = out + bytes;
  let before: u32 = -1;
  for (let word = window; word < end; word += 8) {
    for (let bits = load<u64>(word); bits != 0; bits &= bits - 1) {
      const bit = <u32>((word - window) << 3) + <u32>ctz(bits);
      p = writeVarint(p, bit - before - 1);
      if (p >= outEnd) return bytes;
      before = bit;
    }
  }
  return <u32>(p - out);
}

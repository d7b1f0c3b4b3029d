// Inverts one segment. Occurrences are records in windows of kernel memory; they are counting-sorted by term, and the occurrences of each term are encoded as
// a posting list. Words are given as term numbers of the caller, or as texts and bytes, which text-walk.ts and word-tables.ts turn into terms.
//
// A window is `[u32 next window][u32 bytes used][8 unused bytes][records of 8 bytes]`, a record `[u32 term][u32 key]`, or `[u32 DOCUMENT][u32 ordinal]`
// before the records of a document.

import { grown, heapAlloc, heapFree } from "../arena";
import { encodedBytesMax, encodeList } from "../postings/encode";
import { distinctEntries, sortEntries } from "./entries";
import { NO_DOCUMENT, RECORD_BYTES } from "../layout";
import { clearSet, WordSet } from "./word-set";

const DOCUMENT: u32 = 0xffffffff;
const FIRST_WINDOW_RECORDS: u32 = 1024;
const WINDOW_RECORDS_MAX: u32 = 65536;
/** Bytes for each record that sorting needs in addition: its occurrence. */
const SORT_BYTES: u32 = 8;
/** Number of entries of the front cache of words, 16 bytes each (text-walk.ts). */
export const FRONT_ENTRIES: u32 = 8192;
export const FRONT_BYTES: u32 = FRONT_ENTRIES << 4;

@unmanaged
export class Inverter {
  firstWindow: usize;
  window: usize;
  at: usize;
  end: usize;
  windowRecords: u32;
  heldBytes: u32;
  recordCount: u32;
  termCount: u32;
  /** u32 docid of each ordinal, NO_DOCUMENT for a document that is left out; 0: ordinals are docids. */
  docIds: usize;
  /** u32 start of each term's occurrences, termCount + 1 of them; 0 before the sort. */
  starts: usize;
  entries: usize;
  out: usize;
  outCapacity: u32;
  // Output of word-tables.ts for the host.
  offsets: usize;
  dictionaryBlock: usize;
  dictionary: usize;
  dictionaryBytes: u32;
  /** `[u32 address][u32 length]` of each word of the table. */
  words: usize;
  // State of the walk over the current text (text-walk.ts).
  units: usize;
  unitCapacity: u32;
  unitCount: u32;
  unitAt: u32;
  wordStart: u32;
  /** Where the run of symbols at or before `unitAt` ends, and whether a word is directly before or after it. */
  symbolsEnd: u32;
  isBesideWord: u32;
  classes: usize;
  classifiesAll: u32;
  splitsNumbers: u32;
  table: u32;
  keyBase: u32;
  offset: u32;
  step: u32;
  counter: u32;
  emitted: u32;
  /** Cache of recent short words (text-walk.ts); 0 while there are few words. */
  front: usize;
}

// Terms and aliases are after the struct.
// @ts-ignore: decorator
@inline export function termsOf(inverter: Inverter): WordSet { return changetype<WordSet>(changetype<usize>(inverter) + offsetof<Inverter>()); }
// @ts-ignore: decorator
@inline export function aliasesOf(inverter: Inverter): WordSet {
  return changetype<WordSet>(changetype<usize>(inverter) + offsetof<Inverter>() + offsetof<WordSet>());
}

export function inverterNew(): usize {
  const bytes = offsetof<Inverter>() + 2 * offsetof<WordSet>();
  const p = heapAlloc(<u32>bytes);
  memory.fill(p, 0, bytes);
  return p;
}

// @ts-ignore: decorator
@inline export function addRecord(inverter: Inverter, term: u32, key: u32): void {
  if (inverter.at == inverter.end) nextWindow(inverter);
  const p = inverter.at;
  store<u32>(p, term);
  store<u32>(p, key, 4);
  inverter.at = p + RECORD_BYTES;
}

function nextWindow(inverter: Inverter): void {
  closeWindow(inverter);
  const records = min(max(FIRST_WINDOW_RECORDS, inverter.windowRecords << 1), WINDOW_RECORDS_MAX);
  const window = heapAlloc(16 + records * RECORD_BYTES);
  store<u32>(window, 0);
  if (inverter.window == 0) inverter.firstWindow = window;
  else store<u32>(inverter.window, <u32>window);
  inverter.window = window;
  inverter.windowRecords = records;
  inverter.at = window + 16;
  inverter.end = inverter.at + <usize>records * RECORD_BYTES;
  inverter.heldBytes += records * (RECORD_BYTES + SORT_BYTES) + 32;
}

// @ts-ignore: decorator
@inline function closeWindow(inverter: Inverter): void {
  if (inverter.window != 0) store<u32>(inverter.window, <u32>(inverter.at - inverter.window - 16), 4);
}

/** Begins the document of this ordinal: the following records belong to it. */
export function inverterDocument(self: usize, ordinal: u32): void { addRecord(changetype<Inverter>(self), DOCUMENT, ordinal); }

export function inverterAdd(self: usize, term: u32, key: u32): void { addRecord(changetype<Inverter>(self), term, key); }

/** Bytes held, with those that sorting will need. */
export function inverterHeldBytes(self: usize): u32 {
  const inverter = changetype<Inverter>(self);
  const frontBytes: u32 = inverter.front == 0 ? 0 : FRONT_BYTES;
  return inverter.heldBytes + frontBytes + termsOf(inverter).heldBytes + aliasesOf(inverter).heldBytes;
}

/** Sets the docid of each ordinal: `docIds` is a heap block of the host, which the inverter takes over. */
export function inverterDocIds(self: usize, docIds: usize): void { changetype<Inverter>(self).docIds = docIds; }

// @ts-ignore: decorator
@inline function docOf(inverter: Inverter, ordinal: u32): u32 {
  return inverter.docIds == 0 ? ordinal : load<u32>(inverter.docIds + (<usize>ordinal << 2));
}

/** Sorts all records by term, stably, and frees the windows. A second call does nothing. */
export function inverterSort(self: usize): void {
  const inverter = changetype<Inverter>(self);
  if (inverter.starts != 0) return;
  closeWindow(inverter);
  let termCount = termsOf(inverter).count;
  for (let w = inverter.firstWindow; w != 0; w = load<u32>(w)) {
    const end = w + 16 + load<u32>(w, 4);
    for (let p = w + 16; p < end; p += RECORD_BYTES) {
      const term = load<u32>(p);
      if (term != DOCUMENT) termCount = max(termCount, term + 1);
    }
  }
  inverter.termCount = termCount;
  inverter.starts = heapAlloc((termCount + 2) << 2);
  memory.fill(inverter.starts, 0, <usize>(termCount + 2) << 2);
  countRecords(inverter);
  let sum: u32 = 0;
  for (let t: usize = 0; t < <usize>(termCount + 2) << 2; t += 4) {
    sum += load<u32>(inverter.starts + t);
    store<u32>(inverter.starts + t, sum);
  }
  if (sum >= 0x1fff0000) unreachable();
  inverter.recordCount = sum;
  inverter.entries = heapAlloc(sum << 3);
  documentRecords(inverter);
}

/** Counts are stored two slots later, so that after summing, slot t + 1 is where t's next occurrence goes, and in the end where t + 1 starts. */
function countRecords(inverter: Inverter): void {
  const starts = inverter.starts;
  let isLeftOut = false;
  for (let w = inverter.firstWindow; w != 0; w = load<u32>(w)) {
    const end = w + 16 + load<u32>(w, 4);
    for (let p = w + 16; p < end; p += RECORD_BYTES) {
      const term = load<u32>(p);
      if (term == DOCUMENT) {
        isLeftOut = docOf(inverter, load<u32>(p, 4)) == NO_DOCUMENT;
        continue;
      }
      if (isLeftOut) continue;
      const slot = starts + (<usize>term << 2);
      store<u32>(slot, load<u32>(slot, 8) + 1, 8);
    }
  }
}

function documentRecords(inverter: Inverter): void {
  const starts = inverter.starts;
  const entries = inverter.entries;
  let doc: u32 = NO_DOCUMENT;
  let w = inverter.firstWindow;
  while (w != 0) {
    const end = w + 16 + load<u32>(w, 4);
    for (let p = w + 16; p < end; p += RECORD_BYTES) {
      const term = load<u32>(p);
      if (term == DOCUMENT) {
        doc = docOf(inverter, load<u32>(p, 4));
        continue;
      }
      if (doc == NO_DOCUMENT) continue;
      const slot = starts + (<usize>term << 2);
      const index = load<u32>(slot, 4);
      store<u32>(slot, index + 1, 4);
      store<u64>(entries + (<usize>index << 3), (<u64>doc << 32) | load<u32>(p, 4));
    }
    const next = load<u32>(w);
    heapFree(w);
    w = next;
  }
  inverter.firstWindow = 0;
  inverter.window = 0;
}

/** Occurrences of a term. Only after the sort. */
export function occurrenceCount(inverter: Inverter, term: u32): u32 {
  const slot = inverter.starts + (<usize>term << 2);
  return load<u32>(slot, 4) - load<u32>(slot);
}

/**
 * Encodes the lists of the terms at `order` (u32 each), one after another. `offsets` receives termCount + 1 byte
 * offsets. Returns the address of the lists, valid until the next call.
 */
export function inverterEncode(self: usize, order: usize, orderCount: u32, offsets: usize): usize {
  const inverter = changetype<Inverter>(self);
  let used: u32 = 0;
  store<u32>(offsets, 0);
  for (let i: usize = 0; i < <usize>orderCount << 2; i += 4) {
    const term = load<u32>(order + i);
    if (term < inverter.termCount) used = encodeTerm(inverter, term, used);
    store<u32>(offsets + i, used, 4);
  }
  return inverter.out;
}

function encodeTerm(inverter: Inverter, term: u32, used: u32): u32 {
  const slot = inverter.starts + (<usize>term << 2);
  const start = load<u32>(slot);
  let count = load<u32>(slot, 4) - start;
  if (count == 0) return used;
  const entries = inverter.entries + (<usize>start << 3);
  sortEntries(entries, count);
  count = distinctEntries(entries, count);
  const needed = used + encodedBytesMax(count);
  if (needed > inverter.outCapacity) growOut(inverter, used, needed);
  return <u32>(encodeList(entries, count, inverter.out + used) - inverter.out);
}

function growOut(inverter: Inverter, used: u32, needed: u64): void {
  const bytes = max<u64>(needed, max<u64>(65536, <u64>inverter.outCapacity + (inverter.outCapacity >> 1)));
  if (needed > 0xfff00000) unreachable();
  inverter.outCapacity = <u32>min<u64>(bytes, 0xfff00000);
  inverter.out = grown(inverter.out, used, inverter.outCapacity);
}

/** Frees all memory but the inverter's own few bytes. */
export function inverterReset(self: usize): void {
  const inverter = changetype<Inverter>(self);
  let w = inverter.firstWindow;
  while (w != 0) {
    const next = load<u32>(w);
    heapFree(w);
    w = next;
  }
  heapFree(inverter.docIds);
  heapFree(inverter.starts);
  heapFree(inverter.entries);
  heapFree(inverter.out);
  heapFree(inverter.offsets);
  heapFree(inverter.dictionaryBlock);
  heapFree(inverter.words);
  heapFree(inverter.units);
  heapFree(inverter.classes);
  heapFree(inverter.front);
  clearSet(termsOf(inverter));
  clearSet(aliasesOf(inverter));
  memory.fill(self, 0, offsetof<Inverter>());
}

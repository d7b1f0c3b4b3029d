// Inverts one segment: (termId, docId, key) records, written by the host straight into windows of kernel memory, are counting-sorted by
// term into occurrences, and each term's occurrences encoded as a posting list.
//
// A window is `[u32 next window][u32 record count][8 unused bytes][records of 12 bytes]`.

import { heapAlloc, heapFree } from "./arena";
import { encodedBytesMax, encodeList } from "./encode";
import { distinctEntries, sortEntries } from "./entries";
import { RECORD_BYTES } from "./layout";

@unmanaged
class Inverter {
  firstWindow: usize;
  lastWindow: usize;
  recordCount: u32;
  termCount: u32;
  /** u32 start of each term's occurrences, termCount + 1 of them; 0 before `inverterSort`. */
  starts: usize;
  entries: usize;
  out: usize;
  outCapacity: u32;
}

export function inverterNew(): usize {
  const p = heapAlloc(offsetof<Inverter>());
  memory.fill(p, 0, offsetof<Inverter>());
  return p;
}

/** Closes the last window at `lastCount` records and opens one for `capacity` more. Returns the address of its first record. */
export function inverterWindow(self: usize, lastCount: u32, capacity: u32): usize {
  const inverter = changetype<Inverter>(self);
  inverterClose(self, lastCount);
  const window = heapAlloc(16 + capacity * RECORD_BYTES);
  store<u32>(window, 0);
  store<u32>(window, 0, 4);
  if (inverter.lastWindow == 0) inverter.firstWindow = window;
  else store<u32>(inverter.lastWindow, <u32>window);
  inverter.lastWindow = window;
  return window + 16;
}

export function inverterClose(self: usize, lastCount: u32): void {
  const inverter = changetype<Inverter>(self);
  if (inverter.lastWindow == 0) return;
  inverter.recordCount += lastCount - load<u32>(inverter.lastWindow, 4);
  store<u32>(inverter.lastWindow, lastCount, 4);
}

/** Sorts all records by term, keeping their order within one, and frees the windows. */
export function inverterSort(self: usize): void {
  const inverter = changetype<Inverter>(self);
  let termCount: u32 = 0;
  for (let w = inverter.firstWindow; w != 0; w = load<u32>(w)) {
    const end = w + 16 + <usize>load<u32>(w, 4) * RECORD_BYTES;
    for (let p = w + 16; p < end; p += RECORD_BYTES) termCount = max(termCount, load<u32>(p) + 1);
  }
  inverter.termCount = termCount;
  const starts = heapAlloc((termCount + 2) << 2);
  memory.fill(starts, 0, <usize>(termCount + 2) << 2);
  inverter.starts = starts;
  // Counts go two places on, so that after summing, place t + 1 is where t's next occurrence goes, and in the end where t + 1 starts.
  for (let w = inverter.firstWindow; w != 0; w = load<u32>(w)) {
    const end = w + 16 + <usize>load<u32>(w, 4) * RECORD_BYTES;
    for (let p = w + 16; p < end; p += RECORD_BYTES) {
      const slot = starts + (<usize>load<u32>(p) << 2);
      store<u32>(slot, load<u32>(slot, 8) + 1, 8);
    }
  }
  let sum: u32 = 0;
  for (let t: usize = 0; t < <usize>(termCount + 2) << 2; t += 4) {
    sum += load<u32>(starts + t);
    store<u32>(starts + t, sum);
  }
  if (inverter.recordCount >= 0x1fff0000) unreachable();
  const entries = heapAlloc(inverter.recordCount << 3);
  inverter.entries = entries;
  let w = inverter.firstWindow;
  while (w != 0) {
    const end = w + 16 + <usize>load<u32>(w, 4) * RECORD_BYTES;
    for (let p = w + 16; p < end; p += RECORD_BYTES) {
      const slot = starts + (<usize>load<u32>(p) << 2);
      const index = load<u32>(slot, 4);
      store<u32>(slot, index + 1, 4);
      store<u64>(entries + (<usize>index << 3), (<u64>load<u32>(p, 4) << 32) | load<u32>(p, 8));
    }
    const next = load<u32>(w);
    heapFree(w);
    w = next;
  }
  inverter.firstWindow = 0;
  inverter.lastWindow = 0;
}

/**
 * Encodes the lists of the terms at `order` (u32 each), one after another. `offsets` receives termCount + 1 byte offsets. Returns the address of the
 * lists, valid until the next call.
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
  const larger = heapAlloc(<u32>min<u64>(bytes, 0xfff00000));
  memory.copy(larger, inverter.out, used);
  heapFree(inverter.out);
  inverter.out = larger;
  inverter.outCapacity = <u32>min<u64>(bytes, 0xfff00000);
}

/** Gives all memory back but the inverter's own few bytes. */
export function inverterReset(self: usize): void {
  const inverter = changetype<Inverter>(self);
  let w = inverter.firstWindow;
  while (w != 0) {
    const next = load<u32>(w);
    heapFree(w);
    w = next;
  }
  heapFree(inverter.starts);
  heapFree(inverter.entries);
  heapFree(inverter.out);
  memory.fill(self, 0, offsetof<Inverter>());
}

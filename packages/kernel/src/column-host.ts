import type {
  ColumnGroups,
  ColumnKernel,
  CountedTexts,
  DocGroups,
  ForwardColumn,
  GroupCounts,
  LiveDocs,
  NearTexts,
  TextRow,
} from './column-port.js';
import { MERGED_COLUMN_BYTES, MERGED_TEXT_BYTES, TURNED_HEADER_BYTES } from './layout.js';
import { ListHost } from './list-host.js';
import type { Bitmap, ColumnByDocument, Ptr } from './ptr.js';

const EVERY: LiveDocs = { universe: 0, deleted: 0 };
/** From so many times fewer entries than groups on, entries are sorted instead of counted in a table of all groups. */
const SORTED_SHARE = 16;

/** Texts that one call merges. */
const MERGED_AT_ONCE = 4_096;

/** The port's columns: every method is a call or a few. */
export class ColumnHost extends ListHost implements ColumnKernel {
  orGroups(target: Bitmap, groups: Pick<DocGroups, 'offsets' | 'docs'>, from: number, to: number, live = EVERY): void {
    this.exports.orGroups(target, groups.offsets, groups.docs, from, to, live.universe, live.deleted);
  }

  orListedGroups(target: Bitmap, groups: DocGroups, list: Uint32Array, base: number, live: LiveDocs): void {
    if (list.length === 0) return;
    const mark = this.memory.mark();
    const at = this.#written(list);
    const { offsets, docs } = groups;
    this.exports.orListedGroups(target, offsets, docs, at, list.length, base, live.universe, live.deleted);
    this.memory.release(mark);
  }

  countGroups({ offsets, docs }: DocGroups, from: number, to: number, live: LiveDocs): Uint32Array {
    if (from >= to) return new Uint32Array(0);
    const mark = this.memory.mark();
    const counts = this.memory.scratch((to - from) * 4);
    this.exports.countGroups(live.universe, live.deleted, offsets, docs, from, to, counts);
    const copied = this.#copied(counts, to - from);
    this.memory.release(mark);
    return copied;
  }

  presentGroups(
    { offsets, docs }: DocGroups,
    { from, to, step }: { readonly from: number; readonly to: number; readonly step: 1 | -1 },
    limit: number,
    { universe, deleted }: LiveDocs,
  ): GroupCounts {
    const mark = this.memory.mark();
    const capacity = Math.min(limit, Math.abs(to - from));
    const out = this.memory.scratch(capacity * 8);
    const found = this.exports.presentGroups(universe, deleted, offsets, docs, from, to, step, capacity, out) >>> 0;
    const pairs = this.memory.u32;
    const [groups, counts] = [new Uint32Array(found), new Uint32Array(found)];
    for (let i = 0, at = out >>> 2; i < found; i++) {
      groups[i] = pairs[at++]!;
      counts[i] = pairs[at++]!;
    }
    this.memory.release(mark);
    return { groups, counts };
  }

  nextGroup({ count, offsets, docs }: DocGroups, from: number, step: 1 | -1, { universe, deleted }: LiveDocs): number {
    const start = step === 1 ? Math.max(from, 0) : Math.min(from, count - 1);
    return this.exports.nextGroup(universe, deleted, offsets, docs, count, start, step);
  }

  firstEntry({ offsets, docs }: DocGroups, group: number, { universe, deleted }: LiveDocs): number {
    return this.exports.firstEntry(universe, deleted, offsets, docs, group);
  }

  turnColumn({ numbers, strings, docs, firstDoc, docCount }: ColumnGroups): ForwardColumn {
    const entryCount = this.#entryCount(numbers) + this.#entryCount(strings);
    const startBytes = (docCount + 1) * 4;
    const byteCount = TURNED_HEADER_BYTES + startBytes + entryCount * 4;
    const ptr = this.memory.alloc(byteCount) as ColumnByDocument;
    const groupCount = numbers.count + strings.count;
    const groups = ptr + TURNED_HEADER_BYTES + startBytes;
    this.memory.u32.set([docs, firstDoc, docCount, groupCount, groups], ptr >>> 2);
    const { offsets: numberOffsets, docs: numberDocs, count: numberCount } = numbers;
    this.exports.turnColumn(ptr, numberOffsets, numberDocs, numberCount, strings.offsets, strings.docs, strings.count);
    return { ptr, byteCount, numberCount, groupCount };
  }

  groupsOf({ ptr }: ForwardColumn, doc: number): Uint32Array | undefined {
    const place = this.exports.placeOf(ptr, doc);
    if (place < 0) return undefined;
    const words = this.memory.u32;
    const starts = (ptr + TURNED_HEADER_BYTES) / 4 + place;
    const groups = words[ptr / 4 + 4]! / 4;
    return words.slice(groups + words[starts]!, groups + words[starts + 1]!);
  }

  nextLiveDoc({ ptr }: ForwardColumn, { universe, deleted }: LiveDocs, from: number): number {
    return this.exports.nextLiveDoc(ptr, universe, deleted, from);
  }

  countByDocument({ ptr, groupCount }: ForwardColumn, { universe, deleted }: LiveDocs): GroupCounts {
    const entryCount = this.exports.gatherGroups(ptr, universe, deleted, 0) >>> 0;
    const mark = this.memory.mark();
    const isSorted = entryCount * SORTED_SHARE <= groupCount;
    const capacity = isSorted ? entryCount : groupCount;
    const out = this.memory.scratch(capacity * 4);
    if (isSorted) this.exports.gatherGroups(ptr, universe, deleted, out);
    else this.exports.countByDocument(ptr, universe, deleted, out);
    const words = this.#copied(out, capacity);
    this.memory.release(mark);
    return isSorted ? runsOf(words.sort()) : presentOf(words);
  }

  firstGroups(
    { ptr, numberCount }: ForwardColumn,
    { universe, deleted }: LiveDocs,
    isDescending: boolean,
  ): BigUint64Array {
    const docCount = this.memory.u32[ptr / 4 + 2]!;
    const mark = this.memory.mark();
    const capacity = Math.min(docCount, universe === 0 ? docCount : this.count(universe));
    const out = this.memory.scratch(capacity * 8);
    const descending = Number(isDescending);
    const found = this.exports.gatherFirsts(ptr, universe, deleted, numberCount, descending, out) >>> 0;
    const pairs = new BigUint64Array(this.memory.u8.slice(out, out + found * 8).buffer);
    this.memory.release(mark);
    return pairs.sort();
  }

  firstsBetween(
    forward: ForwardColumn,
    { universe, deleted }: LiveDocs,
    { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
    seen: Bitmap,
    firsts: Bitmap,
  ): { readonly count: number; readonly groups: Uint32Array } {
    const mark = this.memory.mark();
    const out = this.memory.scratch((forward.groupCount + 1) * 4);
    const most = Math.min(limit, 0xffff_ffff);
    const listed = this.exports.firstsBetween(forward.ptr, universe, deleted, seen, from, to, most, firsts, out) >>> 0;
    const count = this.memory.u32[out / 4]!;
    const groups = this.#copied(out + 4, listed).sort();
    this.memory.release(mark);
    return { count, groups };
  }

  textAt({ offsets, bytes }: TextRow, place: number): Uint8Array {
    const { u8, u32 } = this.memory;
    const at = offsets / 4 + place;
    return u8.slice(bytes + u32[at]!, bytes + u32[at + 1]!);
  }

  textBound({ count, offsets, bytes }: TextRow, key: Uint8Array, isAfter: boolean, from = 0, to = count): number {
    const mark = this.memory.mark();
    const at = this.memory.scratch(key.length);
    this.memory.u8.set(key, at);
    const bound = this.exports.textBound(offsets, bytes, from, to, at, key.length, Number(isAfter)) >>> 0;
    this.memory.release(mark);
    return bound;
  }

  findTexts(texts: TextRow, places: Uint32Array, base: number, other: TextRow): Int32Array {
    if (places.length === 0) return new Int32Array(0);
    const mark = this.memory.mark();
    const list = this.#written(places);
    const out = this.memory.scratch(places.byteLength);
    const { offsets, bytes, count } = other;
    this.exports.findTexts(texts.offsets, texts.bytes, list, places.length, base, offsets, bytes, count, out);
    const found = new Int32Array(this.#copied(out, places.length).buffer);
    this.memory.release(mark);
    return found;
  }

  mergeTexts(columns: readonly CountedTexts[], visit: (column: number, place: number, count: number) => void): void {
    const mark = this.memory.mark();
    const table = this.memory.scratch(columns.length * MERGED_COLUMN_BYTES);
    columns.forEach(({ texts, counts, live }, index) => {
      const { offsets, bytes, count } = texts;
      const [liveAt, countsAt] = [live === null ? 0 : this.#written(live), this.#written(counts)];
      this.memory.u32.set([offsets, bytes, count, liveAt, countsAt, 0], (table + index * MERGED_COLUMN_BYTES) / 4);
    });
    const out = this.memory.scratch(MERGED_AT_ONCE * MERGED_TEXT_BYTES);
    for (let found = MERGED_AT_ONCE; found === MERGED_AT_ONCE; ) {
      found = this.exports.mergeTexts(table, columns.length, MERGED_AT_ONCE, out) >>> 0;
      const words = this.#copied(out, (found * MERGED_TEXT_BYTES) / 4);
      for (let at = 0; at < words.length; at += 3) visit(words[at]!, words[at + 1]!, words[at + 2]!);
    }
    this.memory.release(mark);
  }

  nearTexts(texts: TextRow, query: Uint32Array, edits: number, from: number, lookCount: number): NearTexts {
    const mark = this.memory.mark();
    const list = this.#written(query);
    const out = this.memory.scratch(8 + lookCount * 8);
    const { offsets, bytes, count } = texts;
    const most = [lookCount, lookCount] as const;
    this.exports.nearTexts(offsets, bytes, from, count, list, query.length, edits, ...most, out);
    const [next, found] = this.#copied(out, 2);
    const words = this.#copied(out + 8, found! * 2);
    const ranges = Array.from({ length: found! }, (_, i) => [words[i * 2]!, words[i * 2 + 1]!] as const);
    this.memory.release(mark);
    return { ranges, next: next! };
  }

  isPlainText({ count, offsets, bytes }: TextRow): boolean {
    const [from, to] = [this.memory.u32[offsets / 4]!, this.memory.u32[offsets / 4 + count]!];
    return this.exports.isPlainText(bytes + from, bytes + to) !== 0;
  }

  #entryCount({ count, offsets }: DocGroups): number {
    return count === 0 ? 0 : this.memory.u32[offsets / 4 + count]! - this.memory.u32[offsets / 4]!;
  }

  #written(list: Uint32Array): Ptr {
    const at = this.memory.scratch(list.byteLength);
    this.memory.u32.set(list, at >>> 2);
    return at;
  }

  #copied(at: Ptr, count: number): Uint32Array<ArrayBuffer> {
    return this.memory.u32.slice(at >>> 2, (at >>> 2) + count);
  }
}

/** Of ascending groups with repetitions: each once, and how often. */
function runsOf(entries: Uint32Array): GroupCounts {
  const [groups, counts] = [new Uint32Array(entries.length), new Uint32Array(entries.length)];
  let run = -1;
  for (const group of entries) {
    if (run < 0 || groups[run] !== group) groups[++run] = group;
    counts[run]! += 1;
  }
  return { groups: groups.subarray(0, run + 1), counts: counts.subarray(0, run + 1) };
}

function presentOf(all: Uint32Array): GroupCounts {
  let present = 0;
  for (const count of all) if (count > 0) present += 1;
  const [groups, counts] = [new Uint32Array(present), new Uint32Array(present)];
  let at = 0;
  for (let group = 0; group < all.length; group++) {
    if (all[group] === 0) continue;
    groups[at] = group;
    counts[at++] = all[group]!;
  }
  return { groups, counts };
}

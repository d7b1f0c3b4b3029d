import type { DocId } from '@fossick/base';
import { FORWARD_HEADER_BYTES } from '../layout.js';
import { KernelPart } from '../memory-view.js';
import type { Bitmap, ColumnByDocument, None, U32Array } from '../ptr.js';
import type { ColumnGroups, DocGroups, ForwardColumn, GroupCounts, LiveDocs } from './column-port.js';

const EVERY: LiveDocs = { universe: 0, deleted: 0 };
/** Entries are sorted, instead of counted in a table of all groups, when there are this many times fewer of them than groups. */
const SORTED_SHARE = 16;

/** Scans over the groups of columns. Returned lists are copies. */
export class Columns extends KernelPart {
  /** target |= documents of groups [from, to) that count; of all when `live` is absent. */
  orGroups(target: Bitmap, groups: Pick<DocGroups, 'offsets' | 'docs'>, from: number, to: number, live = EVERY): void {
    this.exports.orGroups(target, groups.offsets, groups.docs, from, to, live.universe, live.deleted);
  }

  /** The same for a list of groups, each given as its number plus `base`. */
  orListedGroups(target: Bitmap, groups: DocGroups, list: Uint32Array, base: number, live: LiveDocs): void {
    if (list.length === 0) return;
    const mark = this.memory.mark();
    const at = this.memory.written(list);
    const { offsets, docs } = groups;
    this.exports.orListedGroups(target, offsets, docs, at, list.length, base, live.universe, live.deleted);
    this.memory.release(mark);
  }

  /** How many documents of each group of [from, to) count. O(their documents) */
  countGroups({ offsets, docs }: DocGroups, from: number, to: number, live: LiveDocs): Uint32Array {
    if (from >= to) return new Uint32Array(0);
    const mark = this.memory.mark();
    const counts = this.memory.scratch((to - from) * 4);
    this.exports.countGroups(live.universe, live.deleted, offsets, docs, from, to, counts);
    const copied = this.memory.copiedU32(counts, to - from);
    this.memory.release(mark);
    return copied;
  }

  /**
   * Groups with a document that counts, from `from` to `to` (exclusive) in steps of `step`, in that order, at most `limit`. O(documents of the groups
   * visited)
   */
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

  /** The first group with a document that counts, from `from` on in steps of `step`; -1 when there is none. */
  nextGroup({ count, offsets, docs }: DocGroups, from: number, step: 1 | -1, { universe, deleted }: LiveDocs): number {
    const start = step === 1 ? Math.max(from, 0) : Math.min(from, count - 1);
    return this.exports.nextGroup(universe, deleted, offsets, docs, count, start, step);
  }

  /** The index of the first entry of a group that counts, from the start of the column; -1 when there is none. */
  firstEntry({ offsets, docs }: DocGroups, group: number, { universe, deleted }: LiveDocs): number {
    return this.exports.firstEntry(universe, deleted, offsets, docs, group);
  }

  /** Makes the forward column of a column, in long-lived memory that the caller frees. O(entries), times log documents where most docids are gaps. */
  turn({ numbers, strings, docs, firstDoc, docCount }: ColumnGroups): ForwardColumn {
    const entryCount = this.entryCount(numbers) + this.entryCount(strings);
    return this.memory.attempt(() => {
      const ptr = this.memory.alloc(forwardBytes(docCount, entryCount)) as ColumnByDocument;
      return this.fill(ptr, { numbers, strings, docs, firstDoc, docCount }, entryCount, 0);
    });
  }

  /**
   * The same for the documents that count and have a group, in scratch: nothing has to be kept for a set that is asked for once. `hits`, which must be
   * empty, gets their bits. null: there are none. O(entries of the column)
   */
  turnWithin(
    { numbers, strings }: Pick<ColumnGroups, 'numbers' | 'strings'>,
    { universe, deleted }: LiveDocs,
    hits: Bitmap,
  ): ForwardColumn | null {
    const { exports, memory } = this;
    let entryCount = 0;
    for (const { offsets, docs, count } of [numbers, strings])
      entryCount += exports.entriesWithin(universe, deleted, offsets, docs, count, hits) >>> 0;
    if (entryCount === 0) return null;
    const docCount = exports.bitmapCount(hits) >>> 0;
    const docs = memory.scratch(docCount * 4) as U32Array;
    exports.bitmapMembers(hits, 0, docCount, docs);
    const firstDoc = memory.u32[docs / 4] as DocId;
    const ptr = memory.scratch(forwardBytes(docCount, entryCount)) as ColumnByDocument;
    return this.fill(ptr, { numbers, strings, docs, firstDoc, docCount }, entryCount, hits);
  }

  /** The groups of one document, ascending; undefined when the column does not have the document. */
  groupsOf({ ptr }: ForwardColumn, doc: DocId): Uint32Array | undefined {
    const row = this.exports.forwardRowOf(ptr, doc);
    if (row < 0) return undefined;
    const words = this.memory.u32;
    const starts = (ptr + FORWARD_HEADER_BYTES) / 4 + row;
    const groups = words[ptr / 4 + 4]! / 4;
    return words.slice(groups + words[starts]!, groups + words[starts + 1]!);
  }

  /** The first document from `from` on that counts; -1 when none. */
  nextLiveDoc({ ptr }: ForwardColumn, { universe, deleted }: LiveDocs, from: number): DocId | -1 {
    return this.exports.nextLiveDoc(ptr, universe, deleted, from) as DocId | -1;
  }

  /** The groups that have a document that counts. O(groups of those documents), plus O(groups) unless these are many times more. */
  countByDocument({ ptr, groupCount }: ForwardColumn, { universe, deleted }: LiveDocs): GroupCounts {
    const entryCount = this.exports.gatherGroups(ptr, universe, deleted, 0) >>> 0;
    const mark = this.memory.mark();
    const isSorted = entryCount * SORTED_SHARE <= groupCount;
    const capacity = isSorted ? entryCount : groupCount;
    const out = this.memory.scratch(capacity * 4);
    if (isSorted) this.exports.gatherGroups(ptr, universe, deleted, out);
    else this.exports.countByDocument(ptr, universe, deleted, out);
    const words = this.memory.copiedU32(out, capacity);
    this.memory.release(mark);
    return isSorted ? runsOf(words.sort()) : presentOf(words);
  }

  /**
   * The first group of each document that counts, in the order of a sort (numbers before strings in either direction), as u64
   * group * 2^32 + docid, ascending. O(documents * log documents)
   */
  firstGroups(
    { ptr, numberCount }: ForwardColumn,
    { universe, deleted }: LiveDocs,
    isDescending: boolean,
  ): BigUint64Array {
    const docCount = this.memory.u32[ptr / 4 + 2]!;
    const mark = this.memory.mark();
    const capacity = Math.min(docCount, universe === 0 ? docCount : this.exports.bitmapCount(universe) >>> 0);
    const out = this.memory.scratch(capacity * 8);
    const descending = Number(isDescending);
    const found = this.exports.gatherFirsts(ptr, universe, deleted, numberCount, descending, out) >>> 0;
    const pairs = new BigUint64Array(this.memory.u8.slice(out, out + found * 8).buffer);
    this.memory.release(mark);
    return pairs.sort();
  }

  /**
   * Goes through the documents of [from, to) that count, in docid order: a document none of whose groups is in `seen` gets a bit in `firsts`, and its groups
   * get theirs in `seen`. Ends after `limit` such documents. Returns how many, and the groups added to `seen`, ascending.
   */
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
    const groups = this.memory.copiedU32(out + 4, listed).sort();
    this.memory.release(mark);
    return { count, groups };
  }

  /** Writes a forward column of the entries that are in `within` (0: of all). */
  private fill(
    ptr: ColumnByDocument,
    { numbers, strings, docs, firstDoc, docCount }: ColumnGroups,
    entryCount: number,
    within: Bitmap | None,
  ): ForwardColumn {
    const groupCount = numbers.count + strings.count;
    const groups = ptr + FORWARD_HEADER_BYTES + (docCount + 1) * 4;
    this.memory.u32.set([docs, firstDoc, docCount, groupCount, groups], ptr >>> 2);
    const sides = [numbers.offsets, numbers.docs, numbers.count, strings.offsets, strings.docs, strings.count] as const;
    this.exports.toForward(ptr, ...sides, entryCount, within);
    return { ptr, byteCount: forwardBytes(docCount, entryCount), numberCount: numbers.count, groupCount };
  }

  private entryCount({ count, offsets }: DocGroups): number {
    return count === 0 ? 0 : this.memory.u32[offsets / 4 + count]! - this.memory.u32[offsets / 4]!;
  }
}

/** Bytes of a forward column: header, starts and groups. */
const forwardBytes = (docCount: number, entryCount: number): number =>
  FORWARD_HEADER_BYTES + (docCount + 1 + entryCount) * 4;

/** Run-length encodes ascending groups. */
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

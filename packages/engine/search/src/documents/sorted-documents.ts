/**
 * Documents in the order of `sort`, entry by entry: each divides the groups of documents that are equal so far, all at once, as far as they are on the page.
 */

import type { DocId, DocIds } from '@fossick/base';
import { createSorter, DocNumbers, eachSortValue, SortPoints } from '@fossick/columns';
import type { SortEntry } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';

/**
 * Up to this many documents are found bucket by bucket: each costs a walk over bitmaps, while the others cost nothing.
 */
const FEW_DOCUMENTS = 1_000;
/** From one look at the clock to the next, in documents. */
const DOCUMENTS_PER_CHECK = 4_096;

type FieldEntry = Extract<SortEntry, { kind: 'field' }>;
type GeoEntry = Extract<SortEntry, { kind: 'geo' }>;

/**
 * The first `limit` documents of the universe in the order of the entries, ties in insertion order.
 * @param look called again and again; it may throw
 */
export function sortedDocuments(
  view: IndexView,
  universe: Bitmap,
  entries: readonly SortEntry[],
  limit: number,
  checkInterrupt: () => void,
): DocIds {
  const { kernel } = view;
  const { onPause } = kernel;
  const mark = kernel.memory.mark();
  kernel.onPause = checkInterrupt;
  try {
    const order = new DocumentOrder(view, universe, limit, checkInterrupt);
    for (const entry of entries) {
      checkInterrupt();
      order.divide(entry);
    }
    return order.finished();
  } finally {
    kernel.onPause = onPause;
    kernel.memory.release(mark);
  }
}

/** The documents of a page in an order that each entry makes finer. */
class DocumentOrder {
  private readonly view: IndexView;
  private readonly checkInterrupt: () => void;
  /** Groups that are on the page as a whole. */
  private readonly page: TiedDocuments;
  /** The documents after these: one group, of which the page has the first ones, if it has room left. */
  private readonly rest: Bitmap;
  private points: SortPoints | undefined;
  private documentsUntilCheck = DOCUMENTS_PER_CHECK;

  constructor(view: IndexView, universe: Bitmap, limit: number, checkInterrupt: () => void) {
    const { bitmaps } = view.kernel;
    this.view = view;
    this.checkInterrupt = checkInterrupt;
    this.rest = bitmaps.copy(universe);
    this.page = new TiedDocuments(Math.min(limit, bitmaps.count(universe)), view.bitCount);
  }

  divide(entry: SortEntry): void {
    const { kernel } = this.view;
    if (entry.kind === 'geo') this.points ??= new SortPoints(this.view, this.checkInterrupt);
    const mark = kernel.memory.mark();
    const tied = kernel.bitmaps.create(this.view.bitCount);
    const tiedCount = this.addTied(tied);
    if (tiedCount > 0) {
      if (entry.kind === 'geo') this.divideTiesByPoint(tied, entry);
      else this.divideTiesByValue(tied, tiedCount, entry);
    }
    kernel.memory.release(mark);
    if (this.page.room === 0) return;
    if (entry.kind === 'geo') this.divideRestByPoint(entry);
    else if (this.page.room <= FEW_DOCUMENTS) this.divideRestByBuckets(entry);
    else this.divideRestByValue(entry);
  }

  finished(): DocIds {
    const { page, rest } = this;
    if (page.room > 0) page.append([this.view.kernel.bitmaps.members(rest, 0, page.room)]);
    return page.finished();
  }

  /** Sets the bits of the documents of the page whose place is not known, and counts them. */
  private addTied(tied: Bitmap): number {
    const { bitmaps } = this.view.kernel;
    let count = 0;
    this.page.eachTie((from, to) => {
      for (let at = from; at < to; at++) bitmaps.set(tied, this.page.at(at));
      count += to - from;
      this.lookAfter(to - from);
    });
    return count;
  }

  private divideTiesByValue(tied: Bitmap, tiedCount: number, entry: FieldEntry): void {
    const { bitmaps } = this.view.kernel;
    const place = this.page.divideByValue();
    let value = 0;
    const placeAll = (docs: DocIds): void => {
      for (const doc of docs) place(doc, value);
      this.lookAfter(docs.length);
    };
    if (tiedCount <= 2 * FEW_DOCUMENTS) {
      for (const bucket of this.buckets(entry, tied)) {
        placeAll(bitmaps.members(bucket, 0, tiedCount));
        value += 1;
      }
      return;
    }
    eachSortValue(this.view, tied, entry, (lists) => {
      for (const docs of lists) {
        placeAll(docs);
        this.unset(tied, docs);
      }
      value += 1;
      return true;
    });
    // those without a value
    placeAll(bitmaps.members(tied, 0, tiedCount));
  }

  private divideTiesByPoint(tied: Bitmap, entry: GeoEntry): void {
    const { page, points } = this;
    points!.read(tied);
    page.eachTie((from, to) => {
      page.divide(from, points!.bucketsOfKnown(entry, page.between(from, to)));
      this.lookAfter(to - from);
    });
  }

  /** O(buckets of the page * documents / 64) */
  private divideRestByBuckets(entry: FieldEntry): void {
    const { bitmaps } = this.view.kernel;
    const { page, rest } = this;
    for (const bucket of this.buckets(entry, rest)) {
      const count = bitmaps.count(bucket);
      if (count > page.room) {
        bitmaps.and(rest, bucket);
        return;
      }
      page.append([bitmaps.members(bucket, 0, count)]);
      if (page.room === 0) return;
    }
  }

  /** O(documents of the rest * log of them) */
  private divideRestByValue(entry: FieldEntry): void {
    let isDivided = false;
    eachSortValue(this.view, this.rest, entry, (lists) => {
      isDivided = this.appendOrKeep(lists);
      return !isDivided;
    });
    if (!isDivided) this.appendRest();
  }

  private divideRestByPoint(entry: GeoEntry): void {
    for (const bucket of this.points!.buckets(entry, this.rest)) if (this.appendOrKeep([bucket])) return;
    this.appendRest();
  }

  /** Moves a group of the rest to the page or, when there is no room for all of it, makes it the rest: true when the page needs no further group. */
  private appendOrKeep(lists: readonly ArrayLike<DocId>[]): boolean {
    const { bitmaps } = this.view.kernel;
    const { page, rest } = this;
    const count = lists.reduce((sum, docs) => sum + docs.length, 0);
    this.lookAfter(count);
    if (count > page.room) {
      bitmaps.clear(rest);
      for (const docs of lists) for (let i = 0; i < docs.length; i++) bitmaps.set(rest, docs[i]!);
      return true;
    }
    for (const docs of lists) this.unset(rest, docs);
    page.append(lists);
    return page.room === 0;
  }

  /** Moves what is left to the page, if there is room for all of it. */
  private appendRest(): void {
    const { bitmaps } = this.view.kernel;
    const count = bitmaps.count(this.rest);
    if (count > 0 && count <= this.page.room) this.page.append([bitmaps.members(this.rest, 0, count)]);
  }

  private unset(set: Bitmap, docs: ArrayLike<DocId>): void {
    const { bitmaps } = this.view.kernel;
    for (let i = 0; i < docs.length; i++) bitmaps.unset(set, docs[i]!);
  }

  /** The documents of each next value, or without one; each bucket leaves the set when the next one is asked for. */
  private *buckets(entry: FieldEntry, left: Bitmap): Generator<Bitmap, void> {
    const { bitmaps, memory } = this.view.kernel;
    const cursor = createSorter(this.view, entry);
    for (;;) {
      this.checkInterrupt();
      const mark = memory.mark();
      try {
        const bucket = bitmaps.create(this.view.bitCount);
        if (cursor.next(left, bucket) === null) return;
        yield bucket;
        bitmaps.andNot(left, bucket);
      } finally {
        memory.release(mark);
      }
    }
  }

  /** Looks at the clock once in a while. */
  private lookAfter(documentCount: number): void {
    this.documentsUntilCheck -= documentCount;
    if (this.documentsUntilCheck > 0) return;
    this.documentsUntilCheck = DOCUMENTS_PER_CHECK;
    this.checkInterrupt();
  }
}

/**
 * Documents in an order that is partly known: groups of equal documents one after another. Takes 5 bytes for each document, and while groups are divided
 * by values 4 more for each docid and 8 for each group, however often that happens.
 */
class TiedDocuments {
  private readonly docs: DocIds;
  /** 1 at the position of each first document of a group. */
  private readonly isFirst: Uint8Array;
  private readonly groupOf: DocNumbers;
  /** Documents that are there. */
  count = 0;

  /** @param bitCount above every docid */
  constructor(capacity: number, bitCount: number) {
    this.docs = new Uint32Array(capacity) as DocIds;
    this.isFirst = new Uint8Array(capacity);
    this.groupOf = new DocNumbers(bitCount);
  }

  /** The number of documents for which there is room. */
  get room(): number {
    return this.docs.length - this.count;
  }

  /** Adds a group at the end. */
  append(lists: readonly ArrayLike<DocId>[]): void {
    this.isFirst[this.count] = 1;
    for (const docs of lists) {
      this.docs.set(docs, this.count);
      this.count += docs.length;
    }
  }

  /** Calls `visit` for the positions of each group of several documents, which may be divided meanwhile: [from, to). O(documents) */
  eachTie(visit: (from: number, to: number) => void): void {
    for (let from = 0; from < this.count; ) {
      let to = from + 1;
      while (to < this.count && this.isFirst[to] === 0) to += 1;
      if (to > from + 1) visit(from, to);
      from = to;
    }
  }

  at(position: number): DocId {
    return this.docs[position]!;
  }

  /** A copy of the documents at [from, to), ascending. */
  between(from: number, to: number): DocIds {
    return this.docs.slice(from, to).sort() as DocIds;
  }

  /** Divides the group that begins at `from` into parts, which together have its documents. */
  divide(from: number, parts: Iterable<readonly DocId[]>): void {
    let at = from;
    for (const docs of parts) {
      this.isFirst[at] = 1;
      this.docs.set(docs, at);
      at += docs.length;
    }
  }

  /**
   * Begins to divide all groups of several documents at once. The function that is returned is to be called for each of their documents, in the order of
   * their values; documents of a group with the same `value` stay together.
   */
  divideByValue(): (doc: DocId, value: number) => void {
    const { docs, isFirst, groupOf } = this;
    let groupCount = 0;
    this.eachTie(() => {
      groupCount += 1;
    });
    const next = new Uint32Array(groupCount);
    const values = new Int32Array(groupCount).fill(-1);
    let group = 0;
    this.eachTie((from, to) => {
      for (let at = from; at < to; at++) groupOf.set(docs[at]!, group);
      next[group] = from;
      group += 1;
    });
    return (doc, value) => {
      const its = groupOf.get(doc);
      const at = next[its]!;
      next[its] = at + 1;
      docs[at] = doc;
      if (values[its] === value) return;
      values[its] = value;
      isFirst[at] = 1;
    };
  }

  /** All documents in their order, those of a group by docid. */
  finished(): DocIds {
    this.eachTie((from, to) => this.docs.subarray(from, to).sort());
    return this.docs.subarray(0, this.count);
  }
}

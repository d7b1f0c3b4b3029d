import type { DocId, DocIds } from '@fossick/base';
import { DocNumbers } from '@fossick/columns';

/**
 * Documents in an order that is partly known: groups of equal documents one after another. Takes 5 bytes for each document, and while groups are divided
 * by values 4 more for each docid and 8 for each group, however often that happens.
 */
export class TiedDocuments {
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

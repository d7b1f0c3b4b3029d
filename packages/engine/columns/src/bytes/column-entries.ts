import type { DocId, DocIds, LocalOrdinal } from '@fossick/base';
import { NO_DOCUMENT } from '@fossick/format/building';

/**
 * Entries grouped by value: group i, whose ordinal is `groups[i]`, has docs[offsets[i] .. offsets[i + 1]], ascending and
 * distinct.
 */
export interface EntryGroups {
  /** Ordinals that have documents, ascending. */
  readonly groups: Uint32Array;
  readonly offsets: Uint32Array;
  readonly docs: DocIds;
  /** The value of each document, the last one that was added for its ordinal. */
  readonly values: Uint32Array;
}

/** A growing list of (value, document) pairs. */
export class ColumnEntries {
  private pairs = new Uint32Array(64);
  private at = 0;

  get count(): number {
    return this.at / 2;
  }

  add(value: number, doc: DocId | LocalOrdinal): void {
    if (this.at === this.pairs.length) {
      const larger = new Uint32Array(this.pairs.length * 2);
      larger.set(this.pairs);
      this.pairs = larger;
    }
    this.pairs[this.at++] = value;
    this.pairs[this.at++] = doc;
  }

  /** Adds a pair unless it equals the previous one. */
  addOnce(value: number, doc: DocId | LocalOrdinal): void {
    const at = this.at;
    if (at === 0 || this.pairs[at - 1] !== doc || this.pairs[at - 2] !== value) this.add(value, doc);
  }

  /**
   * Groups the entries by the ordinal of their value, documents ascending; of several entries of a document at one
   * ordinal the last one counts. With `docIds` documents are ordinals into it. O(entries), plus a sort where documents
   * did not ascend.
   */
  group(ordinals: Uint32Array, ordinalCount: number, docIds: Uint32Array | undefined): EntryGroups {
    const pairs = this.pairs;
    const starts = new Uint32Array(ordinalCount + 2);
    const docOf = (added: number): number => (docIds === undefined ? added : docIds[added]!);
    let isAscending = true;
    let previous = 0;
    for (let at = 0; at < this.at; at += 2) {
      const doc = docOf(pairs[at + 1]!);
      if (doc === NO_DOCUMENT) continue;
      if (doc < previous) isAscending = false;
      previous = doc;
      starts[ordinals[pairs[at]!]! + 2]! += 1;
    }
    // starts[p + 1] is where p's next entry goes, and at the end where p + 1 starts.
    for (let ordinal = 2; ordinal < starts.length; ordinal++) starts[ordinal] = starts[ordinal]! + starts[ordinal - 1]!;
    const entryCount = starts[ordinalCount + 1]!;
    const docs = new Uint32Array(entryCount);
    const values = new Uint32Array(entryCount);
    for (let at = 0; at < this.at; at += 2) {
      const doc = docOf(pairs[at + 1]!);
      if (doc === NO_DOCUMENT) continue;
      const to = starts[ordinals[pairs[at]!]! + 1]!++;
      docs[to] = doc;
      values[to] = pairs[at]!;
    }
    if (!isAscending) {
      for (let ordinal = 0; ordinal < ordinalCount; ordinal++)
        sortSpan(docs, values, starts[ordinal]!, starts[ordinal + 1]!);
    }
    return compact(starts, docs, values, ordinalCount);
  }
}

/** Sorts one group by document; entries of one document keep their order. */
function sortSpan(docs: Uint32Array, values: Uint32Array, start: number, end: number): void {
  let at = start + 1;
  while (at < end && docs[at - 1]! <= docs[at]!) at++;
  if (at >= end) return;
  const [spanDocs, spanValues] = [docs.slice(start, end), values.slice(start, end)];
  const order = Uint32Array.from(spanDocs.keys()).sort((a, b) => spanDocs[a]! - spanDocs[b]! || a - b);
  order.forEach((from, to) => {
    docs[start + to] = spanDocs[from]!;
    values[start + to] = spanValues[from]!;
  });
}

/** Drops all but the last of a document's entries in a group, and empty groups. In place. */
function compact(starts: Uint32Array, docs: Uint32Array, values: Uint32Array, ordinalCount: number): EntryGroups {
  const groups = new Uint32Array(ordinalCount);
  const offsets = new Uint32Array(ordinalCount + 1);
  let groupCount = 0;
  let out = 0;
  for (let ordinal = 0; ordinal < ordinalCount; ordinal++) {
    const first = out;
    for (let at = starts[ordinal]!; at < starts[ordinal + 1]!; at++) {
      const slot = out > first && docs[out - 1] === docs[at] ? out - 1 : out++;
      docs[slot] = docs[at]!;
      values[slot] = values[at]!;
    }
    if (out === first) continue;
    groups[groupCount] = ordinal;
    offsets[++groupCount] = out;
  }
  return {
    groups: groups.subarray(0, groupCount),
    offsets: offsets.subarray(0, groupCount + 1),
    docs: docs.subarray(0, out) as DocIds,
    values: values.subarray(0, out),
  };
}

import {
  type DocId,
  type DocIds,
  type LocalOrdinal,
  looseBytes,
  sortByBytes,
  storedText,
  writeUtf8,
} from '@fossick/base';
import { compareExact, type ExactNumber } from '@fossick/documents/stored';
import { NO_DOCUMENT } from '@fossick/format/building';
import { normalizeFacet } from '@fossick/tokenizer';
import { restsOf, SAME_SPELLING, SPELLING_BY_DOC, writeColumn } from '../bytes/column-format.js';
import { cutFacetText } from '../bytes/facet-text.js';

/**
 * What one visit records of a field of a document. `null` and `empty` imply `exists`, as values do. `blank` is the text
 * "", which filters ignore and distinct does not.
 */
export type FacetKind = 'number' | 'string' | 'exists' | 'null' | 'empty' | 'blank';

/** Text whose normal form is its lower case: printable ASCII without outer spaces, too short to be truncated. */
const PLAIN = /^[!-~](?:[ -~]{0,150}[!-~])?$/;
const SURROGATE = /[\ud800-\udfff]/;
/** Rough bytes of a Map entry with its string, and of an entry of a list. */
const DISTINCT_BYTES = 112;
const ENTRY_BYTES = 8;

/**
 * Collects one field of one segment. A document's values must be added together; documents in any order. Values are
 * numbered in order of first occurrence, so that a value of a document costs two integers.
 */
export class FacetColumnBuilder {
  private readonly numbers = new Map<ExactNumber, number>();
  private readonly originals = new Map<string, number>();
  private readonly numberEntries = new ColumnEntries();
  private readonly stringEntries = new ColumnEntries();
  private readonly flags = {
    exists: new ColumnEntries(),
    nulls: new ColumnEntries(),
    empties: new ColumnEntries(),
    blanks: new ColumnEntries(),
  };
  private originalUnits = 0;

  /** Estimate of the JavaScript memory held, in bytes. O(1). */
  get heldBytes(): number {
    const entryCount = this.numberEntries.count + this.stringEntries.count + this.flags.exists.count;
    const distinctCount = this.numbers.size + this.originals.size;
    return distinctCount * DISTINCT_BYTES + this.originalUnits * 2 + entryCount * ENTRY_BYTES;
  }

  /**
   * Records a visit of `collectFacetValues`. `value` is a number for 'number', the original string for 'string', else
   * absent. O(1).
   */
  addValue(doc: DocId | LocalOrdinal, kind: FacetKind, value?: ExactNumber | string): void {
    this.flags.exists.addOnce(0, doc);
    if (kind === 'null') this.flags.nulls.addOnce(0, doc);
    else if (kind === 'empty') this.flags.empties.addOnce(0, doc);
    else if (kind === 'blank') this.flags.blanks.addOnce(0, doc);
    else if (typeof value === 'string') this.addString(doc, value);
    else if (value !== undefined) this.addNumber(doc, value);
  }

  private addNumber(doc: DocId | LocalOrdinal, value: ExactNumber): void {
    if (!Number.isFinite(Number(value))) return;
    const key = value === 0 ? 0 : value; // -0 and 0 are one value
    let ordinal = this.numbers.get(key);
    if (ordinal === undefined) {
      ordinal = this.numbers.size;
      this.numbers.set(key, ordinal);
    }
    this.numberEntries.addOnce(ordinal, doc);
  }

  private addString(doc: DocId | LocalOrdinal, original: string): void {
    let ordinal = this.originals.get(original);
    if (ordinal === undefined) {
      ordinal = this.originals.size;
      this.originals.set(original, ordinal);
      this.originalUnits += original.length;
    }
    this.stringEntries.add(ordinal, doc);
  }

  /** Whether no entry is left without the documents that `docIds` leaves out. O(entries). */
  isEmpty(docIds: Uint32Array): boolean {
    return this.flags.exists.group(Uint32Array.of(0), 1, docIds).docs.length === 0;
  }

  /**
   * The serialised column; the builder is unchanged. With `docIds` documents were added by ordinals into it; those it
   * maps to `NO_DOCUMENT` are left out. O(values log values).
   */
  build(docIds?: Uint32Array): Uint8Array {
    const keys = [...this.numbers.keys()];
    const floats = Float64Array.from(keys, Number);
    const order = Uint32Array.from(keys.keys()).sort(
      (a, b) => floats[a]! - floats[b]! || compareExact(keys[a]!, keys[b]!),
    );
    const numbers = this.numberEntries.group(ranksOf(order), order.length, docIds);
    const strings = this.buildStrings(docIds);
    const present = Float64Array.from(numbers.groups, (group) => floats[order[group]!]!);
    return writeColumn({
      numbers: present,
      rests: restsOf(present, (at) => keys[order[numbers.groups[at]!]!]!),
      numberOffsets: numbers.offsets,
      numberDocs: numbers.docs,
      ...strings,
      exists: this.flags.exists.group(Uint32Array.of(0), 1, docIds).docs,
      nulls: this.flags.nulls.group(Uint32Array.of(0), 1, docIds).docs,
      empties: this.flags.empties.group(Uint32Array.of(0), 1, docIds).docs,
      blanks: this.flags.blanks.group(Uint32Array.of(0), 1, docIds).docs,
    });
  }

  private buildStrings(docIds: Uint32Array | undefined): StringParts {
    const originals = [...this.originals.keys()];
    const keys = originals.map(keyOf);
    const sorted = sortByBytes([...new Set(keys)]);
    const ordinalOf = new Map(sorted.map((key, ordinal) => [key, ordinal]));
    const ordinals = Uint32Array.from(keys, (key) => ordinalOf.get(key)!);
    const grouped = this.stringEntries.group(ordinals, sorted.length, docIds);
    const canonical =
      grouped.groups.length === sorted.length ? sorted : Array.from(grouped.groups, (group) => sorted[group]!);
    const { offsets: textOffsets, bytes: text } = joinTexts(canonical);
    return {
      stringOffsets: grouped.offsets,
      stringDocs: grouped.docs,
      textOffsets,
      text,
      ...encodeSpellings(grouped, canonical, originals),
    };
  }
}

type StringParts = Pick<
  Parameters<typeof writeColumn>[0],
  | 'stringOffsets'
  | 'stringDocs'
  | 'textOffsets'
  | 'text'
  | 'spellingOf'
  | 'docSpellings'
  | 'spellingOffsets'
  | 'spelling'
>;

/** The UTF-8 key of a text value; lone surrogates become the replacement character. */
function keyOf(original: string): string {
  if (PLAIN.test(original)) return original.toLowerCase();
  const key = cutFacetText(normalizeFacet(original));
  return SURROGATE.test(key) ? storedText(key) : key;
}

/** The inverse permutation of an order. */
function ranksOf(order: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(order.length);
  for (const [rank, ordinal] of order.entries()) ranks[ordinal] = rank;
  return ranks;
}

function joinTexts(texts: readonly string[]): { readonly offsets: Uint32Array; readonly bytes: Uint8Array } {
  const offsets = new Uint32Array(texts.length + 1);
  let unitCount = 0;
  for (const text of texts) unitCount += text.length;
  const bytes = looseBytes(unitCount * 3);
  let at = 0;
  for (let i = 0; i < texts.length; i++) {
    at += writeUtf8(bytes, texts[i]!, at);
    offsets[i + 1] = at;
  }
  return { offsets, bytes: bytes.subarray(0, at) };
}

/** One spelling for a group whose documents all agree, else one for each document. */
function encodeSpellings(
  { offsets, values }: EntryGroups,
  keys: readonly string[],
  originals: readonly string[],
): Pick<StringParts, 'spellingOf' | 'docSpellings' | 'spellingOffsets' | 'spelling'> {
  const spellingOf = new Uint32Array(keys.length);
  const docSpellings: number[] = [];
  const spellings: string[] = [];
  const idOfOriginal = new Map<number, number>();
  const idOf = (ordinal: number, group: number): number => {
    const original = originals[ordinal]!;
    if (original === keys[group]) return SAME_SPELLING;
    let id = idOfOriginal.get(ordinal);
    if (id === undefined) {
      id = spellings.push(original) - 1;
      idOfOriginal.set(ordinal, id);
    }
    return id;
  };
  for (let group = 0; group < keys.length; group++) {
    const start = offsets[group]!;
    const end = offsets[group + 1]!;
    let at = start + 1;
    while (at < end && values[at] === values[start]) at++;
    if (at >= end) {
      spellingOf[group] = idOf(values[start]!, group);
      continue;
    }
    spellingOf[group] = SPELLING_BY_DOC + docSpellings.length;
    for (at = start; at < end; at++) docSpellings.push(idOf(values[at]!, group));
  }
  const { offsets: spellingOffsets, bytes: spelling } = joinTexts(spellings);
  return { spellingOf, docSpellings: Uint32Array.from(docSpellings), spellingOffsets, spelling };
}

/**
 * Entries grouped by value: group i, whose ordinal is `groups[i]`, has docs[offsets[i] .. offsets[i + 1]], ascending and
 * distinct.
 */
interface EntryGroups {
  /** Ordinals that have documents, ascending. */
  readonly groups: Uint32Array;
  readonly offsets: Uint32Array;
  readonly docs: DocIds;
  /** The value of each document, the last one that was added for its ordinal. */
  readonly values: Uint32Array;
}

/** A growing list of (value, document) pairs. */
class ColumnEntries {
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

import { SAME_SPELLING, SPELLED_BY_DOC, writeColumn } from './column-format.js';
import { facetKey } from './facet-text.js';

/** What one visit says of a field of a document (spec 12 section 1). `null` and `empty` imply `exists`, as the values do. */
export type FacetKind = 'number' | 'string' | 'exists' | 'null' | 'empty';

/** A distinct string value on its way into a column; `spellings[i]` belongs to `docs[i]`. */
export interface StringGroup {
  readonly key: Uint8Array;
  readonly docs: readonly number[];
  readonly spellings: readonly string[];
}

interface GrowingGroup {
  readonly key: Uint8Array;
  docs: number[];
  spellings: string[];
  isSorted: boolean;
}

const ascending = (docs: Iterable<number>): Uint32Array => Uint32Array.from(docs).sort();

/** Collects one field of one segment. A document's values are added contiguously; documents in any order. */
export class FacetColumnBuilder {
  readonly #numbers = new Map<number, number[]>();
  readonly #strings = new Map<string, GrowingGroup>();
  readonly #byOriginal = new Map<string, GrowingGroup>();
  readonly #exists = new Set<number>();
  readonly #nulls = new Set<number>();
  readonly #empties = new Set<number>();
  #heldBytes = 0;

  /** Estimate of the JavaScript memory held, in bytes. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Adds what `collectFacetValues` visited. `value` is a number for 'number', the original string for 'string', else absent. O(1). */
  addValue(docId: number, kind: FacetKind, value?: number | string): void {
    this.#exists.add(docId);
    this.#heldBytes += 16;
    if (kind === 'null') this.#nulls.add(docId);
    else if (kind === 'empty') this.#empties.add(docId);
    else if (typeof value === 'number') this.#addNumber(docId, value);
    else if (typeof value === 'string') this.#addString(docId, value);
  }

  #addNumber(docId: number, value: number): void {
    if (!Number.isFinite(value)) return;
    const key = value === 0 ? 0 : value; // -0 and 0 are one value
    const docs = this.#numbers.get(key);
    if (docs === undefined) {
      this.#numbers.set(key, [docId]);
      this.#heldBytes += 96;
    } else if (docs[docs.length - 1] !== docId) {
      docs.push(docId);
    }
    this.#heldBytes += 8;
  }

  #addString(docId: number, original: string): void {
    let group = this.#byOriginal.get(original);
    if (group === undefined) {
      const key = facetKey(original);
      const name = Buffer.from(key).toString('utf8');
      group = this.#strings.get(name);
      if (group === undefined) {
        group = { key, docs: [], spellings: [], isSorted: true };
        this.#strings.set(name, group);
      }
      this.#byOriginal.set(original, group);
      this.#heldBytes += 240 + original.length * 4;
    }
    const last = group.docs.length - 1;
    const lastDoc = group.docs[last];
    if (lastDoc === docId) {
      group.spellings[last] = original; // the last spelling of a document is the remembered one
      return;
    }
    if (lastDoc !== undefined && lastDoc > docId) group.isSorted = false;
    group.docs.push(docId);
    group.spellings.push(original);
    this.#heldBytes += 16;
  }

  /** The serialised column; the builder stays as it is. O(values log values). */
  build(): Uint8Array {
    const numbers = Float64Array.from(this.#numbers.keys()).sort();
    const numberGroups = Array.from(numbers, (value) => [...new Set(this.#numbers.get(value))].sort((a, b) => a - b));
    const strings = [...this.#strings.values()].map(sortGroup).sort((a, b) => Buffer.compare(a.key, b.key));
    return assembleColumn(numbers, numberGroups, strings, {
      exists: ascending(this.#exists),
      nulls: ascending(this.#nulls),
      empties: ascending(this.#empties),
    });
  }
}

function sortGroup(group: GrowingGroup): StringGroup {
  if (group.isSorted) return group;
  const spellingOf = new Map<number, string>();
  group.docs.forEach((doc, index) => spellingOf.set(doc, group.spellings[index] ?? ''));
  const docs = [...spellingOf.keys()].sort((a, b) => a - b);
  return { key: group.key, docs, spellings: docs.map((doc) => spellingOf.get(doc) ?? '') };
}

/** Puts sorted groups together and serialises them. Groups without documents must have been left out. */
export function assembleColumn(
  numbers: Float64Array,
  numberGroups: readonly (readonly number[])[],
  strings: readonly StringGroup[],
  flags: { readonly exists: Uint32Array; readonly nulls: Uint32Array; readonly empties: Uint32Array },
): Uint8Array {
  const spellings = encodeSpellings(strings);
  return writeColumn({
    numbers,
    numberOffsets: offsetsOf(numberGroups.map((docs) => docs.length)),
    numberDocs: flatten(numberGroups),
    stringOffsets: offsetsOf(strings.map((group) => group.docs.length)),
    stringDocs: flatten(strings.map((group) => group.docs)),
    textOffsets: offsetsOf(strings.map((group) => group.key.length)),
    text: Buffer.concat(strings.map((group) => group.key)),
    ...spellings,
    ...flags,
  });
}

function encodeSpellings(strings: readonly StringGroup[]): {
  spellingOf: Uint32Array;
  docSpellings: Uint32Array;
  spellingOffsets: Uint32Array;
  spelling: Uint8Array;
} {
  const spellingOf = new Uint32Array(strings.length);
  const docSpellings: number[] = [];
  const blobs: Uint8Array[] = [];
  strings.forEach((group, index) => {
    const same = Buffer.from(group.key).toString('utf8');
    const ids = new Map<string, number>([[same, SAME_SPELLING]]);
    const idOf = (spelling: string): number => {
      let id = ids.get(spelling);
      if (id === undefined) {
        id = blobs.push(Buffer.from(spelling, 'utf8')) - 1;
        ids.set(spelling, id);
      }
      return id;
    };
    const first = group.spellings[0] ?? same;
    if (group.spellings.every((spelling) => spelling === first)) {
      spellingOf[index] = idOf(first);
    } else {
      spellingOf[index] = SPELLED_BY_DOC + docSpellings.length;
      for (const spelling of group.spellings) docSpellings.push(idOf(spelling));
    }
  });
  return {
    spellingOf,
    docSpellings: Uint32Array.from(docSpellings),
    spellingOffsets: offsetsOf(blobs.map((blob) => blob.length)),
    spelling: Buffer.concat(blobs),
  };
}

function offsetsOf(lengths: readonly number[]): Uint32Array {
  const offsets = new Uint32Array(lengths.length + 1);
  let sum = 0;
  lengths.forEach((length, index) => {
    sum += length;
    offsets[index + 1] = sum;
  });
  return offsets;
}

function flatten(groups: readonly (readonly number[])[]): Uint32Array {
  const flat = new Uint32Array(groups.reduce((sum, docs) => sum + docs.length, 0));
  let at = 0;
  for (const docs of groups) {
    flat.set(docs, at);
    at += docs.length;
  }
  return flat;
}

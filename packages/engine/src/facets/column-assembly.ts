import { type ColumnParts, SAME_SPELLING, SPELLED_BY_DOC, writeColumn } from './column-format.js';

/** A distinct string value on its way into a merged column; `spellings[i]` belongs to `docs[i]`. */
export interface StringGroup {
  readonly key: Uint8Array;
  readonly docs: readonly number[];
  readonly spellings: readonly string[];
}

/** Puts sorted groups together and serialises them. Groups without documents must have been left out. */
export function assembleColumn(
  numbers: Float64Array,
  numberGroups: readonly (readonly number[])[],
  strings: readonly StringGroup[],
  flags: Pick<ColumnParts, 'exists' | 'nulls' | 'empties' | 'blanks'>,
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

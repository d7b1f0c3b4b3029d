/*
 * One field of one segment. All integers u32 little-endian; every section starts on a multiple of 8 bytes.
 *
 *   header[16]       magic, numberGroups, numberEntries, stringGroups, stringEntries, exists, nulls, empties,
 *                    textBytes, spellings, spellingBytes, docSpellings, blanks, 3 x reserved
 *   numbers          f64[numberGroups]          ascending, distinct
 *   numberOffsets    [numberGroups + 1]         into numberDocs
 *   numberDocs       [numberEntries]            ascending within a group
 *   stringOffsets    [stringGroups + 1]         into stringDocs
 *   stringDocs       [stringEntries]
 *   textOffsets      [stringGroups + 1]         into text, byte-sorted
 *   spellingOf       [stringGroups]             see SpellingRef
 *   docSpellings     [docSpellings]             spelling id of each document of the groups that have several
 *   spellingOffsets  [spellings + 1]            into spelling
 *   exists, nulls, empties, blanks              ascending docids; blanks: "" is among the values
 *   text, spelling                              UTF-8
 */
const MAGIC = 0x464f4331;
const HEADER_WORDS = 16;

/** In spellingOf and docSpellings: the original is spelled as the normalised value. */
export const SAME_SPELLING = 0xffffffff;
/** Flag in spellingOf: the low bits are a start in docSpellings, in step with the group's documents. */
export const SPELLED_BY_DOC = 0x80000000;

/** The decoded column; arrays may be views of the stored bytes and are never written. */
export interface ColumnParts {
  readonly numbers: Float64Array;
  readonly numberOffsets: Uint32Array;
  readonly numberDocs: Uint32Array;
  readonly stringOffsets: Uint32Array;
  readonly stringDocs: Uint32Array;
  readonly textOffsets: Uint32Array;
  readonly spellingOf: Uint32Array;
  readonly docSpellings: Uint32Array;
  readonly spellingOffsets: Uint32Array;
  readonly exists: Uint32Array;
  readonly nulls: Uint32Array;
  readonly empties: Uint32Array;
  readonly blanks: Uint32Array;
  readonly text: Uint8Array;
  readonly spelling: Uint8Array;
}

const aligned = (byteCount: number): number => (byteCount + 7) & ~7;

/** Serialises a column. O(size). */
export function writeColumn(parts: ColumnParts): Uint8Array {
  const sections: readonly (Float64Array | Uint32Array | Uint8Array)[] = [
    parts.numbers,
    parts.numberOffsets,
    parts.numberDocs,
    parts.stringOffsets,
    parts.stringDocs,
    parts.textOffsets,
    parts.spellingOf,
    parts.docSpellings,
    parts.spellingOffsets,
    parts.exists,
    parts.nulls,
    parts.empties,
    parts.blanks,
    parts.text,
    parts.spelling,
  ];
  const byteCount = sections.reduce((sum, section) => sum + aligned(section.byteLength), HEADER_WORDS * 4);
  const bytes = new Uint8Array(byteCount);
  new Uint32Array(bytes.buffer, 0, HEADER_WORDS).set([
    MAGIC,
    parts.numbers.length,
    parts.numberDocs.length,
    parts.spellingOf.length,
    parts.stringDocs.length,
    parts.exists.length,
    parts.nulls.length,
    parts.empties.length,
    parts.text.length,
    parts.spellingOffsets.length - 1,
    parts.spelling.length,
    parts.docSpellings.length,
    parts.blanks.length,
  ]);
  let at = HEADER_WORDS * 4;
  for (const section of sections) {
    bytes.set(new Uint8Array(section.buffer, section.byteOffset, section.byteLength), at);
    at += aligned(section.byteLength);
  }
  return bytes;
}

/** Views of a stored column; copies only when the bytes are not aligned. Throws when the bytes are no column. */
export function readColumn(stored: Uint8Array): ColumnParts {
  const bytes = stored.byteOffset % 8 === 0 ? stored : new Uint8Array(stored);
  const { buffer, byteOffset } = bytes;
  const header = new Uint32Array(buffer, byteOffset, HEADER_WORDS);
  if (header[0] !== MAGIC) throw new Error('facet column: unknown format');
  const size = (index: number): number => header[index] ?? 0;
  let at = byteOffset + HEADER_WORDS * 4;
  const words = (count: number): Uint32Array => {
    const view = new Uint32Array(buffer, at, count);
    at += aligned(count * 4);
    return view;
  };
  const blob = (count: number): Uint8Array => {
    const view = new Uint8Array(buffer, at, count);
    at += aligned(count);
    return view;
  };
  const numbers = new Float64Array(buffer, at, size(1));
  at += numbers.byteLength;
  return {
    numbers,
    numberOffsets: words(size(1) + 1),
    numberDocs: words(size(2)),
    stringOffsets: words(size(3) + 1),
    stringDocs: words(size(4)),
    textOffsets: words(size(3) + 1),
    spellingOf: words(size(3)),
    docSpellings: words(size(11)),
    spellingOffsets: words(size(9) + 1),
    exists: words(size(5)),
    nulls: words(size(6)),
    empties: words(size(7)),
    blanks: words(size(12)),
    text: blob(size(8)),
    spelling: blob(size(10)),
  };
}

/** UTF-8 bytes of the normalised value of a string group. */
export function textAt(column: ColumnParts, group: number): Uint8Array {
  return column.text.subarray(column.textOffsets[group], column.textOffsets[group + 1]);
}

/** Whether the documents of a string group spell it in several ways. */
export function isSpelledByDocument(column: ColumnParts, group: number): boolean {
  const ref = column.spellingOf[group] ?? SAME_SPELLING;
  return ref !== SAME_SPELLING && ref >= SPELLED_BY_DOC;
}

/** The original spelling of string entry `entry` (an index into stringDocs) of a group. */
export function spellingAt(column: ColumnParts, group: number, entry: number): string {
  const ref = column.spellingOf[group] ?? SAME_SPELLING;
  let id = ref;
  if (isSpelledByDocument(column, group)) {
    id = column.docSpellings[ref - SPELLED_BY_DOC + entry - (column.stringOffsets[group] ?? 0)] ?? SAME_SPELLING;
  }
  if (id === SAME_SPELLING) return Buffer.from(textAt(column, group)).toString('utf8');
  return Buffer.from(column.spelling.subarray(column.spellingOffsets[id], column.spellingOffsets[id + 1])).toString(
    'utf8',
  );
}

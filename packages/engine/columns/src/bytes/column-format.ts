import { type DocIds, joinedBytes } from '@fossick/base';
import { type ExactNumber, WIDE_FROM } from '@fossick/documents/stored';

/*
 * One field of one segment. All integers u32 little-endian; every section starts on a multiple of 8 bytes.
 *
 *   header[16]       magic, numberGroups, numberEntries, stringGroups, stringEntries, exists, nulls, empties,
 *                    textBytes, spellings, spellingBytes, docSpellings, blanks, rests, 2 x reserved
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
 *   rests            i32[numberGroups]          what is added to each number; none where all are below 2^53 in magnitude
 */
const MAGIC = 0x464f4331;
const HEADER_WORDS = 16;

/** In spellingOf and docSpellings: the original is spelled as the normalised value. */
export const SAME_SPELLING = 0xffffffff;
/** Flag in spellingOf: the low bits are a start in docSpellings, parallel to the group's documents. */
export const SPELLING_BY_DOC = 0x80000000;

/** The decoded column; arrays may be views of the stored bytes and are never written. */
export interface ColumnParts {
  readonly numbers: Float64Array;
  readonly numberOffsets: Uint32Array;
  readonly numberDocs: DocIds;
  readonly stringOffsets: Uint32Array;
  readonly stringDocs: DocIds;
  readonly textOffsets: Uint32Array;
  readonly spellingOf: Uint32Array;
  readonly docSpellings: Uint32Array;
  readonly spellingOffsets: Uint32Array;
  readonly exists: DocIds;
  readonly nulls: DocIds;
  readonly empties: DocIds;
  readonly blanks: DocIds;
  readonly text: Uint8Array;
  readonly spelling: Uint8Array;
  readonly rests: Int32Array;
}

/** The sections of a column in stored order. */
const SECTIONS = [
  'numbers',
  'numberOffsets',
  'numberDocs',
  'stringOffsets',
  'stringDocs',
  'textOffsets',
  'spellingOf',
  'docSpellings',
  'spellingOffsets',
  'exists',
  'nulls',
  'empties',
  'blanks',
  'text',
  'spelling',
  'rests',
] as const satisfies readonly (keyof ColumnParts)[];
export type SectionName = (typeof SECTIONS)[number];

const aligned = (byteCount: number): number => (byteCount + 7) & ~7;

/** The bytes of a column in order, without a copy of the parts. */
export function columnPieces(parts: ColumnParts): readonly Uint8Array[] {
  const header = new Uint32Array(HEADER_WORDS);
  header.set([
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
    parts.rests.length,
  ]);
  const pieces: Uint8Array[] = [new Uint8Array(header.buffer)];
  for (const name of SECTIONS) {
    const { buffer, byteOffset, byteLength } = parts[name];
    pieces.push(new Uint8Array(buffer, byteOffset, byteLength), new Uint8Array(aligned(byteLength) - byteLength));
  }
  return pieces;
}

/** Whether numbers in ascending order need rests. */
export function haveRests(numbers: ArrayLike<number>): boolean {
  const count = numbers.length;
  return count > 0 && (numbers[0]! <= -WIDE_FROM || numbers[count - 1]! >= WIDE_FROM);
}

/** What floats in ascending order lack of the numbers that they are nearest to: below 2^11, as integers of 64 bits are the widest. */
export function restsOf(floats: Float64Array, exactAt: (group: number) => ExactNumber): Int32Array {
  const rests = new Int32Array(haveRests(floats) ? floats.length : 0);
  for (let group = 0; group < rests.length; group++) {
    const exact = exactAt(group);
    if (typeof exact === 'bigint') rests[group] = Number(exact - BigInt(floats[group]!));
  }
  return rests;
}

/** The number of a group: the float, and the rest where there is one. */
export function exactSum(float: number, rest: number): ExactNumber {
  return rest === 0 ? float : BigInt(float) + BigInt(rest);
}

/** Serialises a column. O(size). */
export function writeColumn(parts: ColumnParts): Uint8Array {
  return joinedBytes(columnPieces(parts));
}

/** Bytes [from, to) of a stored column. */
export interface Section {
  readonly from: number;
  readonly to: number;
}
export type ColumnLayout = Readonly<Record<SectionName, Section>>;
export const HEADER_BYTES = HEADER_WORDS * 4;

/** The sections by the first `HEADER_BYTES` of a column. Throws when they are no header of a column. */
export function columnLayout(header: Uint32Array): ColumnLayout {
  if (header[0] !== MAGIC) throw new Error('facet column: unknown format');
  const size = (index: number): number => header[index] ?? 0;
  const counts: Readonly<Record<SectionName, number>> = {
    numbers: size(1) * 8,
    numberOffsets: (size(1) + 1) * 4,
    numberDocs: size(2) * 4,
    stringOffsets: (size(3) + 1) * 4,
    stringDocs: size(4) * 4,
    textOffsets: (size(3) + 1) * 4,
    spellingOf: size(3) * 4,
    docSpellings: size(11) * 4,
    spellingOffsets: (size(9) + 1) * 4,
    exists: size(5) * 4,
    nulls: size(6) * 4,
    empties: size(7) * 4,
    blanks: size(12) * 4,
    text: size(8),
    spelling: size(10),
    rests: size(13) * 4,
  };
  let at = HEADER_BYTES;
  const layout = {} as Record<SectionName, Section>;
  for (const name of SECTIONS) {
    layout[name] = { from: at, to: at + counts[name] };
    at += aligned(counts[name]);
  }
  return layout;
}

/** Views of a stored column; copies only when the bytes are not aligned. Throws when the bytes are no column. */
export function readColumn(stored: Uint8Array): ColumnParts {
  const bytes = stored.byteOffset % 8 === 0 ? stored : new Uint8Array(stored);
  const { buffer, byteOffset } = bytes;
  const layout = columnLayout(new Uint32Array(buffer, byteOffset, HEADER_WORDS));
  const words = (name: SectionName): Uint32Array => {
    const { from, to } = layout[name];
    return new Uint32Array(buffer, byteOffset + from, (to - from) / 4);
  };
  const size = ({ from, to }: Section): number => to - from;
  const blob = ({ from, to }: Section): Uint8Array => bytes.subarray(from, to);
  return {
    numbers: new Float64Array(buffer, byteOffset + layout.numbers.from, (layout.numbers.to - layout.numbers.from) / 8),
    numberOffsets: words('numberOffsets'),
    numberDocs: words('numberDocs') as DocIds,
    stringOffsets: words('stringOffsets'),
    stringDocs: words('stringDocs') as DocIds,
    textOffsets: words('textOffsets'),
    spellingOf: words('spellingOf'),
    docSpellings: words('docSpellings'),
    spellingOffsets: words('spellingOffsets'),
    exists: words('exists') as DocIds,
    nulls: words('nulls') as DocIds,
    empties: words('empties') as DocIds,
    blanks: words('blanks') as DocIds,
    text: blob(layout.text),
    spelling: blob(layout.spelling),
    rests: new Int32Array(buffer, byteOffset + layout.rests.from, size(layout.rests) / 4),
  };
}

/** UTF-8 bytes of the normalised value of a string group. */
export function textAt(column: ColumnParts, group: number): Uint8Array {
  return column.text.subarray(column.textOffsets[group], column.textOffsets[group + 1]);
}

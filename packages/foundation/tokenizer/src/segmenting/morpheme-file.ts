import { readOwnFile } from '../dictionaries/package-file.js';
import type { CharacterKind, MorphemeDictionary, MorphemeTable } from './morphemes.js';

/** Sections of a dictionary (tools/data/morpheme-sections.mjs). Numbers have 16 bits unless stated otherwise. */
const SECTIONS = [
  'words', // front-coded, in byte order: number of bytes shared with the previous word, number of the other bytes, these bytes
  'wordCounts', // bytes: number of entries of each word
  'wordPairs', // for each entry the index of its pair of ids
  'wordCosts',
  'unknownCounts', // bytes: number of entries of each character kind
  'unknownPairs',
  'unknownCosts',
  'pairs', // left and right id
  'sizes', // number of right and of left ids
  'rows', // for each right id the index of its row
  'connections', // rows of costs by left id
  'kinds', // for each character of the basic plane 32 bits: kinds (18), main kind (8), 4, is grouped, is always; one row more for all others
] as const;
type Sections = Readonly<Record<(typeof SECTIONS)[number], Uint8Array>>;
const KIND_BITS = 18;

/** A dictionary as one thread gives it to another. */
export interface MorphemeTables extends Pick<MorphemeDictionary, 'words' | 'unknown' | 'connections' | 'width'> {
  readonly sortedWords: WordTables;
  /** The section `kinds`. */
  readonly kindRows: Uint32Array;
  readonly kindCount: number;
}

/** Number of characters of the basic plane. */
const PLANE = 0x10000;

/**
 * A dictionary that this package ships: `korean` (ko-dic, 775 000 words; 5 MB packed, 31 MB of memory) or `japanese` (IPADIC, 326 000 words; 3 MB
 * packed, 13 MB of memory). Throws RangeError when the file has another layout. O(size).
 */
export function readMorphemes(name: 'korean' | 'japanese'): MorphemeTables {
  const sections = readSections(`dictionaries/${name}.gz`);
  const pairs = int16s(sections.pairs);
  const rows = int16s(sections.rows);
  const width = int16s(sections.sizes)[1]!;
  const table = (counts: Uint8Array, numbers: Uint8Array, costs: Uint8Array): MorphemeTable => {
    const starts = new Uint32Array(counts.length + 1);
    counts.forEach((count, at) => {
      starts[at + 1] = starts[at]! + count;
    });
    const pairOf = int16s(numbers);
    // right ids are replaced by the row of connections they share with others
    return {
      starts,
      lefts: pairOf.map((pair) => pairs[pair * 2]!),
      rights: pairOf.map((pair) => rows[pairs[pair * 2 + 1]!]!),
      costs: int16s(costs),
    };
  };
  return {
    sortedWords: readSortedWords(sections.words, sections.wordCounts.length),
    words: table(sections.wordCounts, sections.wordPairs, sections.wordCosts),
    unknown: table(sections.unknownCounts, sections.unknownPairs, sections.unknownCosts),
    kindRows: new Uint32Array(Uint8Array.from(sections.kinds).buffer),
    kindCount: sections.unknownCounts.length,
    connections: int16s(sections.connections),
    width,
  };
}

/** Wraps the tables as a dictionary, at no cost. */
export function morphemesOf({ sortedWords, kindRows, kindCount, ...tables }: MorphemeTables): MorphemeDictionary {
  const words = new SortedWords(sortedWords);
  return {
    ...tables,
    visitWords: (bytes, start, found) => words.visit(bytes, start, found),
    ...kindsOf(kindRows, kindCount),
  };
}

function readSections(file: string): Sections {
  const bytes = readOwnFile(file);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = SECTIONS.length * 4;
  const sections = SECTIONS.map((name, i): [string, Uint8Array] => {
    const length = view.getUint32(i * 4, true);
    at += length;
    return [name, bytes.subarray(at - length, at)];
  });
  if (at !== bytes.length) throw new RangeError(`${file} is of another layout`);
  return Object.fromEntries(sections) as Sections;
}

/** A copy, so that the unpacked file is not kept in memory by its parts. */
function int16s(bytes: Uint8Array): Int16Array {
  return new Int16Array(Uint8Array.from(bytes).buffer);
}

function kindsOf(rows: Uint32Array, kindCount: number): Pick<MorphemeDictionary, 'kinds' | 'kindsOf'> {
  const kinds = Array.from({ length: kindCount }, (): CharacterKind => ({ isAlways: false, isGrouped: false }));
  const known = new Map<number, readonly number[]>();
  for (const row of new Set(rows)) {
    const main = (row >>> KIND_BITS) & 0xff;
    kinds[main] = { isAlways: row >>> 31 === 1, isGrouped: ((row >>> 30) & 1) === 1 };
    const others = Array.from({ length: KIND_BITS }, (_, kind) => kind).filter((kind) => ((row >>> kind) & 1) === 1);
    known.set(row, [main, ...others.filter((kind) => kind !== main)]);
  }
  const outside = rows.length > PLANE ? known.get(rows[PLANE]!)! : [0];
  const end = Math.min(rows.length, PLANE);
  return { kinds, kindsOf: (code) => (code < end ? known.get(rows[code]!)! : outside) };
}

/** All words, concatenated; word n is [starts[n], starts[n + 1]). */
interface WordTables {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

/**
 * Words in byte order, found by binary search: less memory than an automaton, and nothing to build (3 bytes for each word besides its text).
 */
export class SortedWords {
  private readonly bytes: Uint8Array;
  private readonly starts: Uint32Array;

  constructor({ bytes, starts }: WordTables) {
    this.bytes = bytes;
    this.starts = starts;
  }

  /** Visits every word that the text has at `start`, shortest first: its end and its number. O(length of the longest x log words) */
  visit(text: Uint8Array, start: number, found: (end: number, word: number) => void): void {
    const { starts } = this;
    let first = 0;
    let last = starts.length - 1;
    for (let at = start; at < text.length; at++) {
      const depth = at - start;
      first = this.firstFrom(first, last, depth, text[at]!);
      last = this.firstFrom(first, last, depth, text[at]! + 1);
      if (first === last) return;
      if (starts[first + 1]! - starts[first]! === depth + 1) found(at + 1, first);
    }
  }

  /**
   * Among the words [first, last), which share their first `depth` bytes, the first whose next byte is at least `byte`.
   */
  private firstFrom(first: number, last: number, depth: number, byte: number): number {
    const { bytes, starts } = this;
    let [low, high] = [first, last];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = starts[middle]! + depth;
      // a word that ends here precedes all its extensions
      if (at >= starts[middle + 1]! || bytes[at]! < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Decodes words. `coded` has for each word the number of bytes it shares with the previous one, the number of the others, and these.
 * Throws RangeError for another number of words. O(bytes of the words)
 */
export function readSortedWords(coded: Uint8Array, wordCount: number): WordTables {
  const starts = new Uint32Array(wordCount + 1);
  let size = 0;
  let word = 0;
  for (let at = 0; at < coded.length; at += 2 + coded[at + 1]!) {
    size += coded[at]! + coded[at + 1]!;
    starts[++word] = size;
  }
  if (word !== wordCount) throw new RangeError(`${word} words where there should be ${wordCount}`);
  const bytes = new Uint8Array(size);
  word = 0;
  for (let at = 0; at < coded.length; at += 2 + coded[at + 1]!) {
    const [shared, start] = [coded[at]!, starts[word]!];
    if (word > 0) bytes.copyWithin(start, starts[word - 1]!, starts[word - 1]! + shared);
    bytes.set(coded.subarray(at + 2, at + 2 + coded[at + 1]!), start + shared);
    word++;
  }
  return { bytes, starts };
}

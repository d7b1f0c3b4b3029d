import type { SegmentId } from '@fossick/base';
import {
  ByteReader,
  ByteWriter,
  encodeTrigrams,
  LIST_ROW_BYTES,
  type ListPart,
  listsLocation,
  PARTS,
  putChunks,
  putPart,
  type SegmentPart,
  type SegmentRows,
} from '@fossick/format/building';
import type { Kernel, WordTableParts } from '@fossick/kernel';

const encoder = new TextEncoder();
/** The most bytes of UTF-8 for one UTF-16 unit. */
const UNIT_BYTES_MAX = 3;

/** The parts of one word table. Trigrams are there only with the setting `substringAttributes`. */
export interface TableParts {
  readonly dictionary: SegmentPart;
  readonly offsets: SegmentPart;
  readonly postings: ListPart;
  readonly trigrams: SegmentPart;
}
export const FUZZY_PARTS: TableParts = {
  dictionary: PARTS.fuzzyDictionary,
  offsets: PARTS.fuzzyOffsets,
  postings: PARTS.fuzzyPostings,
  trigrams: PARTS.fuzzyTrigrams,
};
export const EXACT_PARTS: TableParts = {
  dictionary: PARTS.exactDictionary,
  offsets: PARTS.exactOffsets,
  postings: PARTS.exactPostings,
  trigrams: PARTS.exactTrigrams,
};

/**
 * Writes the parts of a word table while their views are valid: nothing here calls the kernel before they are written.
 * @param speller the kernel that spells out the words of trigrams; null for a table without trigrams
 */
export function writeTable(
  sink: SegmentRows,
  segmentId: SegmentId,
  { wordCount, dictionary, offsets, postings }: WordTableParts,
  parts: TableParts,
  speller: Kernel | null,
): { readonly wordCount: number; readonly postingBytes: number } {
  if (wordCount === 0) return { wordCount, postingBytes: 0 };
  const ownDictionary = speller === null ? null : dictionary.slice();
  const postingBytes = postings.length;
  putChunks(sink, segmentId, parts.dictionary, dictionary);
  putChunks(sink, segmentId, parts.offsets, encodeOffsets(offsets));
  putPart(sink, listsLocation({ id: segmentId, rowBytes: LIST_ROW_BYTES }, parts.postings), postings);
  if (speller !== null && ownDictionary !== null)
    putChunks(sink, segmentId, parts.trigrams, trigramsOfDictionary(speller, ownDictionary, wordCount));
  return { wordCount, postingBytes };
}

/** Posting offsets as the varint lengths of the lists; offsets[0] is 0. */
function encodeOffsets(offsets: Uint32Array): Uint8Array {
  const writer = new ByteWriter(offsets.length * 2);
  for (let i = 1; i < offsets.length; i++) writer.varint(offsets[i]! - offsets[i - 1]!);
  return writer.bytes();
}

/** Starts of lists, from their varint lengths. */
export function decodeOffsets(lengths: Uint8Array | undefined, wordCount: number): Uint32Array {
  const offsets = new Uint32Array(wordCount + 1);
  if (lengths === undefined) return offsets;
  const reader = new ByteReader(lengths);
  for (let i = 0; i < wordCount; i++) offsets[i + 1] = offsets[i]! + reader.varint();
  return offsets;
}

/** Words that are spelled out at a time. */
const WORDS_PER_READ = 4_096;

/** The trigram table of a dictionary. O(bytes of the words) */
function trigramsOfDictionary({ dictionaries, memory }: Kernel, dictionary: Uint8Array, wordCount: number): Uint8Array {
  const loaded = dictionaries.load(dictionary);
  const words = new WordTexts();
  for (let from = 0; from < wordCount; from += WORDS_PER_READ)
    for (const word of dictionaries.wordsBetween(loaded, from, Math.min(wordCount, from + WORDS_PER_READ)))
      words.add(word);
  memory.free(loaded);
  return words.trigrams();
}

/** Words in the order of their dictionary. */
export class WordTexts {
  private text = new Uint8Array(1 << 12);
  private readonly ends: number[] = [0];

  add(word: string): void {
    const at = this.ends.at(-1)!;
    if (this.text.length - at < word.length * UNIT_BYTES_MAX) {
      const larger = new Uint8Array(2 * this.text.length + word.length * UNIT_BYTES_MAX);
      larger.set(this.text);
      this.text = larger;
    }
    this.ends.push(at + encoder.encodeInto(word, this.text.subarray(at)).written);
  }

  /** Their trigram table. O(bytes of the words) */
  trigrams(): Uint8Array {
    return encodeTrigrams({ text: this.text, textOffsets: Uint32Array.from(this.ends) }, false);
  }
}

import { type SegmentId, type TermOrdinal, utf8Bytes } from '@fossick/base';
import {
  CHUNK_BYTES,
  type PartLocation,
  type RowReader,
  readSpan,
  type SegmentPart,
  segmentKey,
  TABLES,
  TrigramTable,
} from '@fossick/format';
import type { Dictionary, Kernel } from '@fossick/kernel';
import type { HeldMemory } from '@fossick/kernel/memory';

/**
 * The most words of one word table that are compared with a part: looking at 50,000 words and their lists takes some
 * 100 ms. Of more the first ones in byte order are.
 */
const MAX_INFIX_WORDS = 50_000;

/** The trigram table of a word table, as far as it is held. */
export class InfixWords implements HeldMemory {
  readonly kind = 'dictionaries';
  private readonly table: TrigramTable | null;

  /** Segments that were built without the setting `substringAttributes` have no table, and no word is found. */
  constructor(rows: RowReader, segmentId: SegmentId, part: SegmentPart) {
    const place: PartLocation = { segmentId, part, firstChunk: 0, rowBytes: CHUNK_BYTES };
    const isStored = rows.read(TABLES.segments, segmentKey(segmentId, part, 0), () => true) === true;
    this.table = isStored ? new TrigramTable((from, to) => spanOf(rows, place, from, to)) : null;
  }

  get byteCount(): number {
    return this.table?.byteCount ?? 0;
  }

  free(): void {}

  /**
   * Ordinals, ascending, of the words that contain a text of at least three bytes, without the text itself and, with
   * `withoutPrefixes`, without those that start with it. O(words with its trigrams), bounded
   */
  ordinals({ dictionaries }: Kernel, dictionary: Dictionary, text: string, withoutPrefixes: boolean): TermOrdinal[] {
    if (this.table === null) return [];
    const bytes = utf8Bytes(text);
    const { texts, isExact } = this.table.matches(bytes);
    const [from, to] = dictionaries.prefixRange(dictionary, bytes);
    const found: TermOrdinal[] = [];
    const skipped = withoutPrefixes ? [from, to] : wordRange(dictionaries.find(dictionary, bytes));
    for (const ordinal of texts.subarray(0, MAX_INFIX_WORDS) as Iterable<number> as Iterable<TermOrdinal>) {
      if (ordinal >= skipped[0]! && ordinal < skipped[1]!) continue;
      if (isExact || dictionaries.wordAt(dictionary, ordinal).includes(text)) found.push(ordinal);
    }
    return found;
  }
}

function wordRange(ordinal: TermOrdinal | -1): readonly [from: number, to: number] {
  return [ordinal, ordinal + 1];
}

function spanOf(rows: RowReader, place: PartLocation, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(to - from);
  readSpan(rows, place, from, to, (piece, at) => bytes.set(piece, at));
  return bytes;
}

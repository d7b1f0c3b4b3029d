import type { DocId, FieldId, SegmentId, TermOrdinal } from '@fossick/base';
import type {
  ColumnSegment,
  ColumnView,
  ForeignScope as ForeignScopeOf,
  WithForeign as WithForeignOf,
} from '@fossick/columns';
import type { Bitmap, BitmapRow, Dictionary, LivePostings, None } from '@fossick/kernel';
import type { SearchMemory } from '@fossick/search-memory';
import type { Tokenizer } from '@fossick/tokenizer';
import type { QueryResultCache } from './query-result-cache.js';
import type { SegmentTerms, WordTable } from './segment-terms.js';
import type { VectorReader } from './vector-reader.js';
import type { ViewHoldings } from './view-holdings.js';

/** A posting list with the fastest access to its documents. Valid until the view is released. */
export interface SegmentPostings extends LivePostings {
  /** target |= live documents of the list, when it keeps a bitmap of them; else false, and the list is to be walked. */
  orDocs(target: Bitmap): boolean;
  /** bitmaps[field] |= live documents of `within` that it occurs in this field of (0: none), when it keeps them; else false. */
  orFields(within: Bitmap, bitmaps: readonly (Bitmap | None)[]): boolean;
  /**
   * Lists to read the places in documents of `within` from; null: itself. With `isPaired` each will be walked against other lists, for
   * which the words of a prefix are better one list, unless documents are few.
   */
  positionLists(within: Bitmap, isPaired: boolean): readonly LivePostings[] | null;
  /** Whether `orMasks` is the faster way to look up positions in documents of `within`; it is for common words. */
  usesMasks(within: Bitmap): boolean;
  /** target |= live documents of `within` with an occurrence in a bucket of positions whose bit is in `wanted`. */
  orMasks(target: Bitmap, within: Bitmap, wanted: number): void;
  /** The same for all buckets at once: `bitmaps` as of `PositionTables.scatterPositions`. Both only where places are kept. */
  scatterMasks(within: Bitmap, bitmaps: BitmapRow): void;
}

/** A word of a segment: its table, and its ordinal there. */
export type WordLocation = readonly [table: WordTable, ordinal: TermOrdinal];

/** One immutable segment as a search sees it. Pointers are valid until the view is released. */
export interface SegmentView extends ColumnSegment {
  readonly id: SegmentId;
  /** Cache of lookups in its dictionaries. */
  readonly terms: SegmentTerms;
  /** The segment's dictionary in kernel memory; 0 when the table is empty. */
  dictionary(table: WordTable): Dictionary | None;
  /** The posting list of a word, loaded on demand and kept in a bounded cache. */
  postings(table: WordTable, ordinal: TermOrdinal): SegmentPostings;
  /** target |= live documents of the words, ascending ordinals. */
  orWords(target: Bitmap, table: WordTable, ordinals: readonly TermOrdinal[]): void;
  /** Documents in the posting list of a word, deleted ones included. */
  docCount(table: WordTable, ordinal: TermOrdinal): number;
  /** All words of both tables that start with the prefix (UTF-8) as one list, kept in the same cache; null when there is none. */
  prefixPostings(prefix: Uint8Array): SegmentPostings | null;
  /**
   * target |= live documents of `within` where the one word stands right before the other; with `isByWord` false, where both are in one field. `within`: all live documents
   * of both. What was found of common words is kept.
   */
  orAdjacent(target: Bitmap, left: WordLocation, right: WordLocation, isByWord: boolean, within: Bitmap): void;
  /** target |= live documents whose field has exactly `wordCount` (1..30) indexed words. */
  orWordCount(target: Bitmap, fieldId: FieldId, wordCount: number): void;
  /** Vectors under a name, of one size (vectors/vector-rows.ts), or undefined when no document of the segment has one. */
  vectors(name: string, dimCount: number, isQuantized: boolean): VectorReader | undefined;
}

/** A view of another index, restricted to what the request may see. */
export type ForeignScope = ForeignScopeOf<IndexView>;
/** Opens a view of another index as long as `work` runs, unless the request may not see it. */
export type WithForeign = WithForeignOf<IndexView>;

/** One index at one commit. Everything a search, a filter or the formatter needs; a read never writes. */
export interface IndexView extends ColumnView {
  /** Changes with every commit: the key for caches. */
  readonly version: string;
  readonly segments: readonly SegmentView[];
  /** Tokenizers built from the settings: for queries (stop words) and for formatting (none). Locales are given per call. */
  readonly queryTokenizer: Tokenizer;
  readonly formattingTokenizer: Tokenizer;
  /** The stored object without `_vectors`, which take the most time of one that has them, or undefined. */
  documentFields(docId: DocId): Record<string, unknown> | undefined;
  /** The JSON text of the stored object as a hit that shows all of it; undefined when there is none, or its object has to be looked at. */
  documentText(docId: DocId): Buffer | undefined;
  /** DocId of an external id, or undefined. */
  docIdOf(externalId: string): DocId | undefined;
  readonly withForeign: WithForeign;
  /** Owns what searches of this thread keep in memory. */
  readonly memory: SearchMemory;
  /** Holds memory that is of use for this view only. */
  readonly holdings: ViewHoldings;
  /** Cached answers of this thread; keys begin with `version`. */
  readonly answers: QueryResultCache;
}

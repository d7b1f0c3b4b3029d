import type { DocId, FieldId, SegmentId, TermOrdinal } from '@fossick/base';
import type {
  ColumnSegment,
  ColumnView,
  ForeignScope as ForeignScopeOf,
  WithForeign as WithForeignOf,
} from '@fossick/columns';
import type { Bitmap, Dictionary, None } from '@fossick/kernel';
import type { SearchMemory } from '@fossick/kernel/memory';
import type { SegmentPostings, SegmentTerms, WordLocation, WordTable } from '@fossick/postings';
import type { Tokenizer } from '@fossick/tokenizer';
import type { VectorReader } from '@fossick/vectors';
import type { QueryResultCache } from './query-result-cache.js';
import type { ViewHoldings } from './view-holdings.js';

/** One immutable segment as a search sees it. Pointers are valid until the view is released. */
export interface SegmentView extends ColumnSegment {
  readonly id: SegmentId;
  /** The cache of lookups in its dictionaries, made unless it is there. */
  loadTerms(): SegmentTerms;
  /** The segment's dictionary in kernel memory; 0 when the table is empty. */
  dictionary(table: WordTable): Dictionary | None;
  /** The posting list of a word, loaded on demand and cached within a limit. */
  postings(table: WordTable, ordinal: TermOrdinal): SegmentPostings;
  /** target |= live documents of the words, ascending ordinals. */
  orWords(target: Bitmap, table: WordTable, ordinals: readonly TermOrdinal[]): void;
  /**
   * All occurrences of words of both tables that contain a text of at least three bytes, in fields f where `fields[f]` is 1, as one list; null
   * when there are none. The text itself is left out, with `withoutPrefixes` also words that start with it. None without the setting
   * `substringAttributes`. `fields` is the same whenever it is called.
   */
  infixPostings(text: string, withoutPrefixes: boolean, fields: Uint8Array): SegmentPostings | null;
  /** Documents in the posting list of a word, deleted ones included. */
  docCount(table: WordTable, ordinal: TermOrdinal): number;
  /** All words of both tables that start with the prefix (UTF-8) as one list, in the same cache; null when there is none. */
  prefixPostings(prefix: Uint8Array): SegmentPostings | null;
  /**
   * target |= live documents of `within` where the one word directly precedes the other; with `isByWord` false, where both are in one field. `within`: all live documents
   * of both. The documents of common words are cached. By walking: where pairs are stored, `orStoredAdjacent` is faster.
   */
  orAdjacent(target: Bitmap, left: WordLocation, right: WordLocation, isByWord: boolean, within: Bitmap): void;
  /** target |= live documents where the one word directly precedes the other, if these are stored with the segment; else false, and nothing was done. */
  orStoredAdjacent(target: Bitmap, left: WordLocation, right: WordLocation): boolean;
  /** target |= live documents whose field has exactly `wordCount` (1..30) indexed words. */
  orWordCount(target: Bitmap, fieldId: FieldId, wordCount: number): void;
  /**
   * Vectors of one dimension under a name (vectors/vector-rows.ts), or undefined when no document of the segment has one.
   */
  vectors(name: string, dimCount: number, isQuantized: boolean): VectorReader | undefined;
}

/** A view of another index, restricted to what the request may see. */
export type ForeignScope = ForeignScopeOf<IndexView>;
/** Opens a view of another index while `work` runs, unless the request may not see it. */
export type WithForeign = WithForeignOf<IndexView>;

/** One index at one commit: everything that a search, a filter or the formatter needs. Reads never write. */
export interface IndexView extends ColumnView {
  /** Changes with every commit: the key for caches. */
  readonly version: string;
  readonly segments: readonly SegmentView[];
  /** Tokenizers built from the settings: for queries (stop words) and for formatting (none). Locales are given per call. */
  readonly queryTokenizer: Tokenizer;
  readonly formattingTokenizer: Tokenizer;
  /** The stored object without `_vectors`, which are costly to decode, or undefined. */
  documentFields(docId: DocId): Record<string, unknown> | undefined;
  /**
   * The JSON text of the stored object as a hit that shows all of it; undefined when there is none, or when it must be made from the
   * object.
   */
  documentText(docId: DocId): string | undefined;
  /** Announces reads of stored documents; absent where none have to be fetched. */
  readonly needDocuments?: ((docIds: readonly DocId[]) => void) | undefined;
  /** DocId of an external id, or undefined. */
  docIdOf(externalId: string): DocId | undefined;
  readonly withForeign: WithForeign;
  /** Accounts for the memory of this thread's searches. */
  readonly memory: SearchMemory;
  /** Accounts for memory of this view only. */
  readonly holdings: ViewHoldings;
  /** Cached answers of this thread; keys begin with `version`. */
  readonly queryResults: QueryResultCache;
}

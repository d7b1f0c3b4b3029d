import type { DocId } from '@fossick/base';
/** A cached answer to a search: its JSON in pieces around the processing time. */
export interface CachedResult {
  /** Docids of hits that are plain documents, or the bytes of all hits with their commas. */
  readonly hits: readonly DocId[] | Uint8Array;
  /** The members between hits and processing time, and those after it. */
  readonly before: string;
  readonly after: string;
  /** The number of hits that the answer names. */
  readonly hitCount: number;
}

/** Bytes of an entry besides its text, and bytes of each docid. */
const ENTRY_BYTES = 256;
const DOCID_BYTES = 8;

/**
 * A thread's cache of answers to searches, over all its indexes, limited in bytes (a character counts as one, as in Latin text). A key
 * identifies the commit, so outdated entries are never found again and age out. Two generations: entries used since the last change of
 * generations survive the next one.
 */
export class QueryResultCache {
  private readonly maxBytes: number;
  private readonly onGrowth: (bytes: number) => void;
  private young = new Map<string, CachedResult>();
  private old = new Map<string, CachedResult>();
  private youngBytes = 0;

  private oldBytes = 0;

  /**
   * @param maxBytes 0: nothing is cached
   * @param onGrowth called with every change of the held bytes
   */
  constructor(maxBytes: number, onGrowth: (bytes: number) => void = () => undefined) {
    this.maxBytes = maxBytes;
    this.onGrowth = onGrowth;
  }

  get heldBytes(): number {
    return this.youngBytes + this.oldBytes;
  }

  get(key: string): CachedResult | undefined {
    const known = this.young.get(key);
    if (known !== undefined) return known;
    const aged = this.old.get(key);
    if (aged !== undefined) this.add(key, aged);
    return aged;
  }

  /** An answer of this size is not cached. */
  get entryBytesMax(): number {
    return this.maxBytes / 16;
  }

  /** Caches an answer, unless it alone exceeds its share of the cache. */
  add(key: string, answer: CachedResult): void {
    const { hits, before, after } = answer;
    const hitBytes = hits instanceof Uint8Array ? hits.length : hits.length * DOCID_BYTES;
    const bytes = key.length + ENTRY_BYTES + before.length + after.length + hitBytes;
    const generationBytes = this.maxBytes / 2;
    if (bytes > this.entryBytesMax) return;
    if (this.youngBytes + bytes > generationBytes) {
      this.onGrowth(-this.oldBytes);
      this.old = this.young;
      this.oldBytes = this.youngBytes;
      this.young = new Map();
      this.youngBytes = 0;
    }
    this.young.set(key, answer);
    this.youngBytes += bytes;
    this.onGrowth(bytes);
  }
}

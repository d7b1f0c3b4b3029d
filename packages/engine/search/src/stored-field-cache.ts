import { type DocId, ownBytes, utf8Length, writeUtf8 } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';

/** The most bytes of cached hits of one view; half of them for the newer generation. */
const CACHED_BYTES_MAX = 6 * 2 ** 20;
/** Hits are stored consecutively in chunks of at most this size, a power of two, each preceded by its length. */
const CHUNK_BYTES = 2 ** 18;
/** Size of the first chunk; each further one is twice as large. Of ten thousand indexes most show only a hit or two. */
const FIRST_CHUNK_BYTES = 2 ** 12;
const LENGTH_BYTES = 4;
const GENERATION_BYTES_MAX = CACHED_BYTES_MAX / 2;

/** Locations are the chunk number times CHUNK_BYTES plus the offset in the chunk. */
interface Generation {
  readonly offsets: Map<number, number>;
  readonly chunks: Uint8Array[];
  byteCount: number;
  /** First free byte of the last chunk. */
  end: number;
}

const newGeneration = (): Generation => ({ offsets: new Map(), chunks: [], byteCount: 0, end: 0 });

/**
 * JSON (UTF-8) of documents that were hits without decorations. Two generations: entries that are used again survive. Outside of V8's
 * heap, whose collector would copy each of them twice, and which does not know how much garbage there is: chunks are used again.
 */
class StoredFieldCache implements HeldMemory {
  private readonly onGrowth: (bytes: number) => void;
  readonly kind = 'hits';
  byteCount = 0;
  private young = newGeneration();
  private old = newGeneration();
  /** Chunks of the generation that was dropped last. */
  private spare: Uint8Array[] = [];

  /**
   * @param onGrowth called with every change of `byteCount`
   */
  constructor(onGrowth: (bytes: number) => void) {
    this.onGrowth = onGrowth;
  }

  get(docId: DocId): Uint8Array | undefined {
    const known = bytesIn(this.young, docId);
    if (known !== undefined) return known;
    const aged = bytesIn(this.old, docId);
    if (aged === undefined) return undefined;
    this.add(docId, aged);
    // the chunk that it was in may be used again
    return bytesIn(this.young, docId);
  }

  add(docId: DocId, hit: string | Uint8Array): void {
    const byteCount = typeof hit === 'string' ? utf8Length(hit) : hit.length;
    const needed = byteCount + LENGTH_BYTES;
    if (needed > CHUNK_BYTES) return;
    if (this.young.end + needed > (this.young.chunks.at(-1)?.length ?? 0)) this.addChunk(needed);
    const { offsets, chunks, end } = this.young;
    const chunk = chunks.at(-1)!;
    writeLength(chunk, end, byteCount);
    if (typeof hit === 'string') writeUtf8(chunk, hit, end + LENGTH_BYTES);
    else chunk.set(hit, end + LENGTH_BYTES);
    offsets.set(docId, (chunks.length - 1) * CHUNK_BYTES + end);
    this.young.end = end + needed;
  }

  /** Reserves space for this many bytes. */
  private addChunk(needed: number): void {
    let size = Math.min(CHUNK_BYTES, FIRST_CHUNK_BYTES * 2 ** this.young.chunks.length);
    while (size < needed) size *= 2;
    if (this.young.byteCount + size > GENERATION_BYTES_MAX) {
      this.spare = this.old.chunks.filter(({ length }) => length === CHUNK_BYTES);
      this.grow(this.spare.length * CHUNK_BYTES - this.old.byteCount);
      this.old = this.young;
      this.young = newGeneration();
    }
    const used = size === CHUNK_BYTES ? this.spare.pop() : undefined;
    this.young.chunks.push(used ?? ownBytes(size));
    this.young.byteCount += size;
    this.young.end = 0;
    if (used === undefined) this.grow(size);
  }

  free(): void {
    this.young = newGeneration();
    this.old = newGeneration();
    this.spare = [];
  }

  private grow(bytes: number): void {
    this.byteCount += bytes;
    this.onGrowth(bytes);
  }
}

function bytesIn({ offsets, chunks }: Generation, docId: DocId): Uint8Array | undefined {
  const offset = offsets.get(docId);
  if (offset === undefined) return undefined;
  const from = offset % CHUNK_BYTES;
  const chunk = chunks[(offset - from) / CHUNK_BYTES]!;
  const start = from + LENGTH_BYTES;
  return new Uint8Array(chunk.buffer, chunk.byteOffset + start, readLength(chunk, from));
}

function writeLength(chunk: Uint8Array, at: number, length: number): void {
  for (let byte = 0; byte < LENGTH_BYTES; byte++) chunk[at + byte] = length >>> (8 * byte);
}

function readLength(chunk: Uint8Array, at: number): number {
  let length = 0;
  for (let byte = LENGTH_BYTES - 1; byte >= 0; byte--) length = length * 256 + chunk[at + byte]!;
  return length;
}

const bytesByView = new WeakMap<IndexView, HeldOnDemand<StoredFieldCache>>();

/**
 * A reader of documents as hits without decorations, as JSON, for the running search; each is made once while the view lasts and the limit allows.
 * `make` makes the text of a document whose stored bytes must be decoded.
 */
export function plainHits(view: IndexView, make: (docId: DocId) => string): (docId: DocId) => Uint8Array | string {
  const cache = loadCache(view);
  return (docId) => {
    const known = cache.get(docId);
    if (known !== undefined) return known;
    const text = view.documentText(docId) ?? make(docId);
    cache.add(docId, text);
    return text;
  };
}

function loadCache(view: IndexView): StoredFieldCache {
  const { memory, holdings } = view;
  let cache = bytesByView.get(view);
  if (cache === undefined) {
    cache = holdings.onDemand(() => new StoredFieldCache((grown) => memory.grow('hits', grown)));
    bytesByView.set(view, cache);
  }
  return cache.load();
}

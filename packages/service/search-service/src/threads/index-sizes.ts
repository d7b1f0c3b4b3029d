import { LONG_WHOLE_BYTES } from '@fossick/base';
import type { EngineReader } from '@fossick/index';
import type { IndexSize } from '../jobs/kinds/job.js';

type Size = IndexSize & { readonly atMs: number };

/** How long a cached size of an index is valid, in milliseconds. */
const CACHED_SIZE_MS = 2_000;
/** And the number of indexes whose sizes are cached. */
const CACHED_SIZES_MAX = 10_000;

/** The sizes of indexes: read again every two seconds, because each read is two rows. */
export class IndexSizes {
  private readonly engine: EngineReader;
  private readonly documentsMin: number;
  private readonly onRead: (indexUid: string, hasManyDocuments: boolean) => void;
  private readonly sizes = new Map<string, Size>();

  /** `documentsMin`: of an index that is large. `onRead` gets the index of each size that is read. */
  constructor(
    engine: EngineReader,
    documentsMin: number,
    onRead: (indexUid: string, hasManyDocuments: boolean) => void,
  ) {
    this.engine = engine;
    this.documentsMin = documentsMin;
    this.onRead = onRead;
  }

  /** @throws ApiError index_not_found */
  of(indexUid: string): Size {
    const nowMs = performance.now();
    const known = this.sizes.get(indexUid);
    if (known !== undefined && nowMs - known.atMs < CACHED_SIZE_MS) return known;
    const { documentCount, settingsBytes } = this.engine.weight(indexUid);
    const hasLongSettings = settingsBytes > LONG_WHOLE_BYTES;
    const hasManyDocuments = documentCount >= this.documentsMin;
    const size = { isLarge: hasLongSettings || hasManyDocuments, hasLongSettings, atMs: nowMs };
    if (this.sizes.size >= CACHED_SIZES_MAX) this.sizes.clear();
    this.sizes.set(indexUid, size);
    this.onRead(indexUid, hasManyDocuments);
    return size;
  }
}

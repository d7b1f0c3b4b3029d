import type { EngineReader } from '@fossick/index';

/**
 * Share of the documents of a large index from which on a thread is kept ready: facet searches and listings of such an
 * index need it before its searches do.
 */
const AHEAD_SHARE = 1 / 2;
/**
 * Delay after a request before such a thread is started, in milliseconds: loading its code takes some hundreds of
 * processor time.
 */
const AHEAD_MS = 500;
/** Documents from which on an index is worth a warm-up. */
const WARM_DOCUMENTS = 2_000;

/** Starts a search thread before there is a job for it, where an index is large or about to be; the largest that is not is warmed up in the HTTP thread. */
export class EarlyStart {
  private readonly engine: EngineReader;
  private readonly documentsMin: number;
  private readonly start: (indexUid: string) => void;
  private readonly warmUp: (indexUid: string, documentCount: number) => void;
  /** Indexes to check together, because small updates often come in sequence. */
  private readonly expected = new Set<string>();
  private looking: NodeJS.Timeout | undefined;

  /** `documentsMin`: see SearcherThreadsOptions. `start` and `warmUp` may be called again. */
  constructor(
    engine: EngineReader,
    documentsMin: number,
    start: (indexUid: string) => void,
    warmUp: (indexUid: string, documentCount: number) => void,
  ) {
    this.engine = engine;
    this.documentsMin = documentsMin;
    this.start = start;
    this.warmUp = warmUp;
  }

  /** Looks at these indexes, which need not exist, after AHEAD_MS. */
  expectSearches(indexUids: Iterable<string>): void {
    for (const uid of indexUids) this.expected.add(uid);
    this.looking ??= setTimeout(() => {
      this.looking = undefined;
      const uids = [...this.expected];
      this.expected.clear();
      const least = this.documentsMin * AHEAD_SHARE;
      try {
        // each thread compiles its code for itself
        let large = { uid: '', count: least };
        let small = { uid: '', count: WARM_DOCUMENTS };
        for (const uid of uids) {
          const count = this.engine.stats(uid).numberOfDocuments;
          if (count >= large.count) large = { uid, count };
          else if (count < least && count >= small.count) small = { uid, count };
        }
        if (large.uid !== '') this.start(large.uid);
        if (small.uid !== '') this.warmUp(small.uid, small.count);
      } catch {
        // it was deleted or cannot be read, which its searches will report
      }
    }, AHEAD_MS).unref();
  }
}

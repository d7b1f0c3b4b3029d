import { type EngineReader, type IndexView, type SearchRequest, searchText } from '@fossick/engine';
import { rehearsedBodies } from './rehearsed-bodies.js';
import { toSearchRequest } from './search-request.js';

/** Indexes with fewer documents are searched fast enough by code that nobody has compiled. */
const DOCUMENTS_MIN = 5_000;
/** Searches behind which little is left to compile. */
const SEARCHES_ENOUGH = 300;
/** Time that all rehearsed searches together may take: about 500 ms when nobody else wants the processor. */
const SPENT_MS_MAX = 2_000;
/** No rehearsed search starts so soon after one that somebody waits for. */
const QUIET_MS = 50;
/** Wait between two of them; the first takes longer than all others, and the wait grows with it. */
const PAUSE_MS = 1;

const NO_FEATURES = { isOn: () => false };

export interface RehearsalOptions {
  readonly engine: EngineReader;
  /** Indexes from so many documents on are searched elsewhere. */
  readonly documentsMax: number;
  /** Smaller indexes are left alone. */
  readonly documentsMin?: number;
  /** Searches that were asked for, and when on the clock of `performance.now` the last one began. */
  readonly asked: { readonly startedCount: number; readonly lastStartMs: number };
}

/**
 * Searches that nobody asked for, in the pauses of a young process: code that V8 has only interpreted and indexes that nothing has read
 * make the first few hundred searches two to three times as costly as later ones (decision 0011).
 */
export class Rehearsal {
  readonly #options: RehearsalOptions;
  #timer: NodeJS.Timeout | undefined;
  #rehearsedCount = 0;
  #spentMs = 0;
  #isStopped = false;
  #waiting: SearchRequest[] = [];

  constructor(options: RehearsalOptions) {
    this.#options = options;
  }

  /** To be called when an index may have grown. Costs next to nothing when there is nothing to rehearse. */
  begin(): void {
    if (this.#timer === undefined && !this.#isDone()) this.#next(PAUSE_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Rehearsed searches so far. */
  get count(): number {
    return this.#rehearsedCount;
  }

  #isDone(): boolean {
    const { startedCount } = this.#options.asked;
    return this.#isStopped || this.#spentMs > SPENT_MS_MAX || this.#rehearsedCount + startedCount >= SEARCHES_ENOUGH;
  }

  #next(pauseMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDone()) return;
      const quietMs = performance.now() - this.#options.asked.lastStartMs;
      if (quietMs < QUIET_MS) return this.#next(QUIET_MS);
      const uid = this.#stage();
      if (uid === undefined) return;
      const startedMs = performance.now();
      try {
        this.#options.engine.withView(uid, (view) => this.#rehearse(view));
      } catch {
        return; // deleted meanwhile, or nothing that can be searched: whoever asks for a search is told
      }
      const tookMs = performance.now() - startedMs;
      this.#spentMs += tookMs;
      this.#rehearsedCount += 1;
      this.#next(PAUSE_MS + tookMs);
    }, pauseMs);
    this.#timer.unref();
  }

  /** The largest index that is searched in this thread. */
  #stage(): string | undefined {
    const { engine, documentsMax, documentsMin = DOCUMENTS_MIN } = this.#options;
    let best: { readonly uid: string; readonly size: number } | undefined;
    for (const { uid } of engine.indexes()) {
      const size = engine.stats(uid).numberOfDocuments;
      if (size >= documentsMin && size < documentsMax && size > (best?.size ?? 0)) best = { uid, size };
    }
    return best?.uid;
  }

  #rehearse(view: IndexView): void {
    if (this.#waiting.length === 0)
      this.#waiting = rehearsedBodies(view).map((body) => toSearchRequest(body, null, NO_FEATURES));
    const request = this.#waiting.pop();
    if (request !== undefined) searchText(view, request, {}, () => ({}));
  }
}

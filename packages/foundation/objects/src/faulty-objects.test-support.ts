import { MemoryObjects } from './memory-objects.js';
import { bytesOf } from './object-bytes.js';
import type { ObjectInfo, ObjectRange, ObjectStore, PutOptions } from './port.js';
import { unwritten } from './port.js';
import { randomOf, VirtualTime } from './virtual-time.test-support.js';

/** Shares of requests, from 0 to 1, and switches. */
export interface ObjectFaults {
  /** Done, but the answer does not come. */
  readonly lost?: number;
  /** The client gives up after `timeoutMs`; done later, up to `lateMs` after that. */
  readonly late?: number;
  /** Answered with 503, not done. */
  readonly refused?: number;
  /** Puts that are refused for lack of space: not done, and the client knows it. */
  readonly full?: number;
  /** Takes up to the client's timeout. */
  readonly slow?: number;
  /** Creates if absent that meet all succeed, as in stores that look first and write then. */
  readonly twoWin?: boolean;
  /** The client's clock is wrong: every request is refused. */
  readonly isClockStale?: boolean;
}

export interface FaultyObjectsOptions {
  readonly objects: ObjectStore;
  readonly clock: { after(delayMs: number, work: () => void): Disposable };
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Read at each request, so that faults can begin and end. */
  readonly faults: () => ObjectFaults;
  readonly latencyMs?: number;
  readonly timeoutMs?: number;
  readonly lateMs?: number;
  /** How the client's process gets an answer: not at all when it has ended, later when it is paused. */
  readonly deliver?: (work: () => void) => void;
}

/** One client's connection to an object store over a network with faults. The store itself is right, except for `twoWin`. */
export class FaultyObjects implements ObjectStore {
  private readonly options: Required<FaultyObjectsOptions>;

  constructor(options: FaultyObjectsOptions) {
    this.options = { latencyMs: 10, timeoutMs: 1_000, lateMs: 10_000, deliver: (work) => work(), ...options };
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options: PutOptions = {},
  ): Promise<'put' | 'exists'> {
    const { objects, faults, random } = this.options;
    const bytes = new Uint8Array(await bytesOf(body, Number.POSITIVE_INFINITY));
    const { full = 0 } = faults();
    if (full > 0 && random() < full)
      return this.request(() => Promise.reject(unwritten(new Error('no space left on device'))));
    if (options.ifAbsent !== true || faults().twoWin !== true) {
      return this.request(() => objects.put(key, bytes, options));
    }
    if ((await this.request(() => objects.get(key))) !== null) return 'exists';
    return this.request(() => objects.put(key, bytes));
  }

  get(key: string, range?: ObjectRange): Promise<AsyncIterable<Uint8Array> | null> {
    // most reads are answered at once, which saves the simulation an event for each
    return this.request(() => this.options.objects.get(key, range), this.options.random() < 0.7);
  }

  async *list(prefix: string, after?: string): AsyncGenerator<ObjectInfo> {
    yield* await this.request(async () => {
      const found: ObjectInfo[] = [];
      for await (const one of this.options.objects.list(prefix, after)) found.push(one);
      return found;
    });
  }

  delete(key: string): Promise<void> {
    return this.request(() => this.options.objects.delete(key));
  }

  /** Sends a request; `work` is done by the store, at one moment. */
  private request<T>(work: () => Promise<T>, isQuick = false): Promise<T> {
    const { clock, random, latencyMs, timeoutMs, lateMs, deliver } = this.options;
    const { lost = 0, late = 0, refused = 0, slow = 0, isClockStale = false } = this.options.faults();
    return new Promise((resolve, reject) => {
      const answer = (afterMs: number, tell: () => void): void => void clock.after(afterMs, () => deliver(tell));
      const fail = (afterMs: number, reason: string): void => answer(afterMs, () => reject(new Error(reason)));
      const way = (): number => latencyMs * random();
      const chance = random();
      if (isClockStale) return fail(way(), '403 RequestTimeTooSkewed');
      if (chance < refused) return fail(way(), '503 SlowDown');
      const isLate = chance < refused + late;
      const isLost = !isLate && chance < refused + late + lost;
      const isSlow = !isLate && !isLost && chance < refused + late + lost + slow;
      if (isLate || isLost) fail(timeoutMs, 'no answer');
      const thereMs = isLate ? timeoutMs + lateMs * random() : isSlow ? (timeoutMs / 2) * random() : way();
      const reach = (): void => {
        if (isQuick && !isLate && !isLost) return deliver(() => resolve(work()));
        work().then(
          (result) => isLate || isLost || answer(isSlow ? (timeoutMs / 2) * random() : way(), () => resolve(result)),
          (error: unknown) => answer(0, () => reject(error)),
        );
      };
      // a process that was paused before it sent the request sends it when it goes on
      deliver(() => void clock.after(thereMs, reach));
    });
  }
}

/** What comes of work with a store in memory that has these faults, in simulated time. */
export async function outcomeUnder(
  faults: ObjectFaults,
  work: (objects: FaultyObjects) => Promise<unknown>,
): Promise<unknown> {
  const time = new VirtualTime();
  const random = randomOf(1);
  const objects = new FaultyObjects({ objects: new MemoryObjects(), clock: time, random, faults: () => faults });
  let outcome: unknown = 'none';
  work(objects).then(
    (result) => {
      outcome = result;
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  await time.run(1e6);
  return outcome;
}

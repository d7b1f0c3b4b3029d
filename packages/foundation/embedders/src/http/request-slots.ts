import { ADDRESS_SLOTS, addressSlot } from './minute-limit.js';

/** The kind of caller: requests of searches come before those of documents. */
export type RequestOrigin = 'search' | 'indexing';
const SIDES: readonly RequestOrigin[] = ['search', 'indexing'];
/** Numbers per side and address: running requests, and waiting callers. */
const NUMBERS = 2;
const [RUNNING, WAITING] = [0, 1];

/** Memory of the counts of running requests: threads that get the same memory share one limit. Half a KiB. */
export function requestMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(ADDRESS_SLOTS * SIDES.length * NUMBERS * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Counts the running requests to providers, of this thread and of all threads that share the memory. There is no lock:
 * a thread first counts its request, and takes it back if that exceeded the limit. Addresses with the same index share
 * a limit, which is stricter than necessary.
 */
export class RequestSlots {
  readonly side: RequestOrigin;
  private readonly numbers: Int32Array;
  /** What this thread has added to each number. */
  private readonly own: Int32Array;

  /** `memory`: of `requestMemory`. */
  constructor(memory: SharedArrayBuffer, side: RequestOrigin) {
    this.side = side;
    this.numbers = new Int32Array(memory);
    this.own = new Int32Array(this.numbers.length);
  }

  /** Takes one of `atOnce` slots of an address, or returns false. While queries wait, documents use only one slot. */
  take(address: string, atOnce: number): boolean {
    const running = this.at(address, this.side, RUNNING);
    const isPatient = this.side === 'indexing' && Atomics.load(this.numbers, running) > 0;
    if (isPatient && Atomics.load(this.numbers, this.at(address, 'search', WAITING)) > 0) return false;
    this.add(running, 1);
    const sum = SIDES.reduce((all, side) => all + Atomics.load(this.numbers, this.at(address, side, RUNNING)), 0);
    if (sum <= atOnce) return true;
    this.add(running, -1);
    return false;
  }

  give(address: string): void {
    this.add(this.at(address, this.side, RUNNING), -1);
  }

  /** Counts one waiting caller more, or fewer. */
  await(address: string, change: 1 | -1): void {
    this.add(this.at(address, this.side, WAITING), change);
  }

  /** Takes back all counts of this thread, before it ends. */
  close(): void {
    for (const [at, own] of this.own.entries()) if (own !== 0) this.add(at, -own);
  }

  private add(at: number, change: number): void {
    this.own[at]! += change;
    Atomics.add(this.numbers, at, change);
  }

  private at(address: string, side: RequestOrigin, number: number): number {
    return (addressSlot(address) * SIDES.length + SIDES.indexOf(side)) * NUMBERS + number;
  }
}

import { PLACES, placeOf } from './minute-limit.js';

/** Whose requests they are: those of searches, for which somebody waits, come before those of documents. */
export type RequestSide = 'search' | 'indexing';
const SIDES: readonly RequestSide[] = ['search', 'indexing'];
/** Numbers of a side at an address: requests that run, and callers that wait. */
const NUMBERS = 2;
const [RUNNING, WAITING] = [0, 1];

/** Memory for who asks which provider now: given to several threads, it makes them share one limit. Half a KiB. */
export function requestMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(PLACES * SIDES.length * NUMBERS * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * The requests to providers that run in one thread, in the sum of all threads that share the memory. No lock: whoever takes a place says so first, and
 * gives it back where that made too many. Addresses that meet in one place of the memory share a limit, which is stricter than need be.
 */
export class RequestPlaces {
  readonly side: RequestSide;
  private readonly numbers: Int32Array;
  /** What this thread has added to each number. */
  private readonly own: Int32Array;

  /** `memory`: of `requestMemory`. */
  constructor(memory: SharedArrayBuffer, side: RequestSide) {
    this.side = side;
    this.numbers = new Int32Array(memory);
    this.own = new Int32Array(this.numbers.length);
  }

  /** Takes one of `atOnce` places of an address, or answers false. Documents leave theirs to queries that wait, all but one. */
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

  /** One caller more, or fewer, waits for a place. */
  await(address: string, change: 1 | -1): void {
    this.add(this.at(address, this.side, WAITING), change);
  }

  /** Takes back all that this thread has said, before it ends. */
  close(): void {
    for (const [at, own] of this.own.entries()) if (own !== 0) this.add(at, -own);
  }

  private add(at: number, change: number): void {
    this.own[at]! += change;
    Atomics.add(this.numbers, at, change);
  }

  private at(address: string, side: RequestSide, number: number): number {
    return (placeOf(address) * SIDES.length + SIDES.indexOf(side)) * NUMBERS + number;
  }
}

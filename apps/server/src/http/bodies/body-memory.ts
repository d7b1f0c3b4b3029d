import { type ApiError, apiError, collectGarbage } from '@fossick/base';
import type { BodyReservation } from '@fossick/tasks';

/**
 * Released bytes after which garbage is collected. V8 collects when its heap needs room, so bodies that were refused or
 * answered, and the values made from them, would stay in memory by the hundreds of megabytes. A collection is a pause of
 * some 20 ms, and this many bytes take several times longer to receive and decode.
 */
const RELEASED_BYTES_PER_COLLECTION = 64 << 20;

/** Bytes of bodies held in memory at the same time, over all requests. */
export class BodyMemory {
  private readonly capacityBytes: number;
  private readonly collect: () => void;
  private held = 0;
  private releasedBytes = 0;

  constructor(capacityBytes: number, collect: () => void = collectGarbage) {
    this.capacityBytes = capacityBytes;
    this.collect = collect;
  }
  get heldBytes(): number {
    return this.held;
  }

  reserve(): BodyReservation {
    return new Reservation(this);
  }

  /** What one request holds changes from `from` to `to`. @throws ApiError too_many_payloads */
  change(from: number, to: number): void {
    // a single body is only subject to its own limit
    if (to > from && this.held > from && this.held + to - from > this.capacityBytes) throw outOfMemory();
    this.held += to - from;
    if (to < from) this.released(from - to);
  }

  private released(bytes: number): void {
    this.releasedBytes += bytes;
    if (this.releasedBytes < RELEASED_BYTES_PER_COLLECTION) return;
    this.releasedBytes = 0;
    // by then the request has let go of its body
    setImmediate(this.collect);
  }
}

class Reservation implements BodyReservation {
  private readonly memory: BodyMemory;
  private own = 0;

  constructor(memory: BodyMemory) {
    this.memory = memory;
  }
  set(bytes: number): void {
    this.memory.change(this.own, bytes);
    this.own = bytes;
  }
  grow(bytes: number): void {
    this.set(this.own + bytes);
  }
  release(): void {
    this.set(0);
  }
}

function outOfMemory(): ApiError {
  return apiError('too_many_payloads');
}

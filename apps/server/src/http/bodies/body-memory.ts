import { type ApiError, apiError } from '@fossick/base';
import type { BodyReservation } from '@fossick/tasks';

/** Bytes of bodies held in memory at the same time, over all requests. */
export class BodyMemory {
  private readonly capacityBytes: number;
  private held = 0;

  constructor(capacityBytes: number) {
    this.capacityBytes = capacityBytes;
  }
  get heldBytes(): number {
    return this.held;
  }

  hold(): BodyReservation {
    return new Hold(this);
  }

  /** What one request holds changes from `from` to `to`. @throws ApiError too_many_payloads */
  change(from: number, to: number): void {
    // a single body is only subject to its own limit
    if (to > from && this.held > from && this.held + to - from > this.capacityBytes) throw outOfMemory();
    this.held += to - from;
  }
}

class Hold implements BodyReservation {
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

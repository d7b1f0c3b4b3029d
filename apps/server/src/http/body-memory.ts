import { type ApiError, apiError } from '@fossick/base';
import type { BodyHold } from '@fossick/payloads';

/** Bytes of bodies that are held in memory at the same time, over all requests. */
export class BodyMemory {
  private readonly capacityBytes: number;
  private held = 0;

  constructor(capacityBytes: number) {
    this.capacityBytes = capacityBytes;
  }
  get heldBytes(): number {
    return this.held;
  }

  hold(): BodyHold {
    let own = 0;
    const set = (bytes: number): void => {
      const more = bytes - own;
      // a body that is alone has its own limit
      if (more > 0 && this.held > own && this.held + more > this.capacityBytes) throw noRoom();
      own = bytes;
      this.held += more;
    };
    return { set, grow: (bytes) => set(own + bytes), release: () => set(0) };
  }
}

function noRoom(): ApiError {
  return apiError('too_many_payloads');
}

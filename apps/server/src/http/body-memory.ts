import { ApiError } from '@fossick/base';

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

/** What one request holds. */
export interface BodyHold {
  /** Throws ApiError too_many_payloads when there is no room for so many bytes. */
  set(bytes: number): void;
  /** The same, for so many more. */
  grow(bytes: number): void;
  release(): void;
}

/** For bodies of which nobody keeps count. */
export const NO_HOLD: BodyHold = { set: () => undefined, grow: () => undefined, release: () => undefined };

function noRoom(): ApiError {
  return new ApiError(
    'too_many_payloads',
    'The bodies of other requests take all the memory there is for them: send this one again later.',
  );
}

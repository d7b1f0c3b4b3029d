import { type ApiError, apiError } from '@fossick/base';

/**
 * Bytes of remote answers held at the same time, over all requests: each answer has a limit of its own, and together a
 * hundred of them share this one.
 */
export class AnswerMemory {
  private readonly capacityBytes: number;
  private held = 0;

  constructor(capacityBytes: number) {
    this.capacityBytes = capacityBytes;
  }
  get heldBytes(): number {
    return this.held;
  }

  /** The account of one request, until it is answered. */
  reserve(): AnswerReservation {
    let own = 0;
    let isOver = false;
    return {
      grow: (bytes) => {
        if (isOver) return;
        if (bytes > 0 && this.held + bytes > this.capacityBytes) throw outOfMemory();
        own += bytes;
        this.held += bytes;
      },
      release: () => {
        this.held -= own;
        own = 0;
        isOver = true;
      },
    };
  }
}

/** The bytes that one request holds. */
export interface AnswerReservation {
  /**
   * Adds bytes, or removes them if negative. Throws ApiError too_many_search_requests when the limit is exceeded; does
   * nothing after a release.
   */
  grow(bytes: number): void;
  release(): void;
}

function outOfMemory(): ApiError {
  return apiError('too_many_search_requests', 'remoteAnswers');
}

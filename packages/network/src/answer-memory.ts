import { type ApiError, apiError } from '@fossick/base';

/** Bytes of answers of remotes that are held at the same time, over all requests: each answer has a limit, a hundred of them have this one. */
export class AnswerMemory {
  private readonly capacityBytes: number;
  private held = 0;

  constructor(capacityBytes: number) {
    this.capacityBytes = capacityBytes;
  }
  get heldBytes(): number {
    return this.held;
  }

  /** For all answers to one request, until it is answered. */
  hold(): AnswerHold {
    let own = 0;
    let isOver = false;
    return {
      grow: (bytes) => {
        if (isOver) return;
        if (bytes > 0 && this.held + bytes > this.capacityBytes) throw noRoom();
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

/** What one request holds. */
export interface AnswerHold {
  /** So many bytes more, or less where negative. Throws ApiError too_many_search_requests when there is no room; counts nothing behind a release. */
  grow(bytes: number): void;
  release(): void;
}

function noRoom(): ApiError {
  return apiError('too_many_search_requests', 'remoteAnswers');
}

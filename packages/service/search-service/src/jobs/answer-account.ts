import { type ApiError, apiError } from '@fossick/base';

/** Answers up to this size, in bytes, are an ordinary page of hits: a fifth of the account is for them alone. */
const SMALL_BYTES = 64 * 1024;
/** Answers up to this size, in bytes, are never refused: the refusal would take as much. */
const TINY_BYTES = 4 * 1024;
const SMALL_RESERVE_SHARE = 1 / 4;
/** Above this share, slow clients must not keep what they hold. */
const CROWDED_SHARE = 1 / 2;

/**
 * Bytes of all answers of the process that are being collected or that their clients have not read yet. The capacity is
 * for answers of any size; ordinary pages have a quarter of it in addition, so that clients that ask for much and do
 * not read cannot stop the others.
 */
export class AnswerAccount {
  private readonly capacityBytes: number;
  private held = 0;
  /** Of the answers that are larger than an ordinary page. */
  private heldByLarge = 0;

  constructor(capacityBytes: number) {
    this.capacityBytes = capacityBytes;
  }
  get heldBytes(): number {
    return this.held;
  }
  /** Whether more than half of it is held. */
  get isCrowded(): boolean {
    return this.held > this.capacityBytes * CROWDED_SHARE;
  }

  /** The part of one answer, which is empty at first. */
  hold(): AnswerHold {
    return new AnswerHold(this);
  }

  /** What one answer holds changes from `from` to `to` bytes. @throws ApiError too_many_answers */
  change(from: number, to: number): void {
    if (to > from && !this.hasRoom(from, to)) throw noRoom();
    this.held += to - from;
    this.heldByLarge += largeBytes(to) - largeBytes(from);
  }

  private hasRoom(from: number, to: number): boolean {
    if (to <= TINY_BYTES) return true;
    const heldAfter = this.held - from + to;
    if (to <= SMALL_BYTES) return heldAfter <= this.capacityBytes * (1 + SMALL_RESERVE_SHARE);
    // a single answer is only subject to the limit of its own
    return heldAfter <= this.capacityBytes || this.heldByLarge === largeBytes(from);
  }
}

/** The bytes of one answer. */
export class AnswerHold {
  private readonly account: AnswerAccount;
  private own = 0;

  constructor(account: AnswerAccount) {
    this.account = account;
  }
  /** @throws ApiError too_many_answers, and then it holds as much as before */
  set(bytes: number): void {
    this.account.change(this.own, bytes);
    this.own = bytes;
  }
  /** It turned out shorter; more bytes than it holds change nothing. */
  shrink(bytes: number): void {
    this.set(Math.min(this.own, bytes));
  }
  release(): void {
    this.set(0);
  }
}

const largeBytes = (bytes: number): number => (bytes > SMALL_BYTES ? bytes : 0);

function noRoom(): ApiError {
  return apiError('too_many_answers');
}

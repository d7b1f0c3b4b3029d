import { type ApiError, apiError } from '@fossick/base';
import { SHARING_THREADS_MAX } from '@fossick/kernel/shared';

/** Answers up to this size, in bytes, are an ordinary page of hits: a fifth of the account is for them alone. */
const SMALL_BYTES = 64 * 1024;
/** Answers up to this size, in bytes, are never refused: the refusal would take as much. */
const TINY_BYTES = 4 * 1024;
const SMALL_RESERVE_SHARE = 1 / 4;
/** Above this share, slow clients must not keep what they hold. */
const CROWDED_SHARE = 1 / 2;

/** The account as search threads get it. */
export interface SharedAnswers {
  readonly capacityBytes: number;
  readonly counters: SharedArrayBuffer;
}
/** Places of the counters: all bytes, those of answers that are larger than an ordinary page, and those that each thread has, by its number. */
const [HELD, LARGE, THREADS] = [0, 1, 2];

/**
 * Bytes of all answers of the process that are being written, being collected or that their clients have not read yet. The capacity is
 * for answers of any size; ordinary pages have a quarter of it in addition, so that clients that ask for much and do
 * not read cannot stop the others. Search threads count in it while they write.
 */
export class AnswerAccount {
  readonly shared: SharedAnswers;
  private readonly counters: BigInt64Array;

  constructor(
    capacityBytes: number,
    counters = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT * (THREADS + 1 + SHARING_THREADS_MAX)),
  ) {
    this.shared = { capacityBytes, counters };
    this.counters = new BigInt64Array(counters);
  }
  get heldBytes(): number {
    return Number(Atomics.load(this.counters, HELD));
  }
  /** Whether more than half of it is held. */
  get isCrowded(): boolean {
    return this.heldBytes > this.shared.capacityBytes * CROWDED_SHARE;
  }

  /** The part of one answer, which is empty at first. */
  reserve(of: ReservationOptions = {}): AnswerReservation {
    return new AnswerReservation(this, of);
  }

  /** What one answer holds changes from `from` to `to` bytes; `beside` is held by its client as well. @throws ApiError too_many_answers */
  change(from: number, to: number, beside = 0): void {
    const heldAfter = this.add(HELD, to - from);
    const largeAfter = this.add(LARGE, largeBytes(to) - largeBytes(from));
    const othersLarge = largeAfter - largeBytes(to) - largeBytes(beside);
    if (to <= from || this.hasRoom(to, heldAfter, othersLarge)) return;
    this.add(HELD, from - to);
    this.add(LARGE, largeBytes(from) - largeBytes(to));
    throw noRoom();
  }

  /** What the thread writes, and has written and not handed over, holds so many bytes more. */
  note(thread: number, bytes: number): void {
    this.add(THREADS + thread, bytes);
  }
  /** An answer has come from the thread: in this turn what is done with it holds its bytes again. */
  take(thread: number, bytes: number): void {
    this.note(thread, -bytes);
    this.change(bytes, 0);
  }
  /** The thread has ended: it does not write on, and what it had not handed over does not come any more. */
  forget(thread: number): void {
    this.change(Number(Atomics.exchange(this.counters, THREADS + thread, 0n)), 0);
  }

  private hasRoom(bytes: number, heldAfter: number, othersLarge: number): boolean {
    if (bytes <= TINY_BYTES) return true;
    const { capacityBytes } = this.shared;
    if (bytes <= SMALL_BYTES) return heldAfter <= capacityBytes * (1 + SMALL_RESERVE_SHARE);
    // a single answer is only subject to the limit of its own
    return heldAfter <= capacityBytes || othersLarge === 0;
  }

  private add(counter: number, bytes: number): number {
    return Number(Atomics.add(this.counters, counter, BigInt(bytes))) + bytes;
  }
}

export interface ReservationOptions {
  /** The number of the search thread that writes the answer. */
  readonly thread?: number | undefined;
  /** What other parts of the same answer hold already, in bytes. */
  readonly beside?: number | undefined;
}

/** The bytes of one answer. */
export class AnswerReservation {
  private readonly account: AnswerAccount;
  private readonly of: ReservationOptions;
  private own = 0;
  private written = 0;

  constructor(account: AnswerAccount, of: ReservationOptions = {}) {
    this.account = account;
    this.of = of;
  }
  get bytes(): number {
    return this.own;
  }
  /** @throws ApiError too_many_answers, and then it holds as much as before */
  set(bytes: number): void {
    this.account.change(this.own, bytes, this.of.beside);
    this.keep(bytes);
  }
  /** So many bytes more are written. Asks for them an ordinary page at a time. @throws ApiError too_many_answers */
  grow(bytes: number): void {
    this.written += bytes;
    if (this.written > Math.max(this.own, SMALL_BYTES)) this.set(Math.ceil(this.written / SMALL_BYTES) * SMALL_BYTES);
  }
  /** It turned out shorter; more bytes than it holds change nothing. */
  shrink(bytes: number): void {
    this.set(Math.min(this.own, bytes));
  }
  release(): void {
    this.set(0);
  }
  /** Leaves its bytes, whose number it returns, to another thread: they count until that one takes them, or this thread has ended. */
  leave(): number {
    const bytes = this.own;
    this.own = 0;
    return bytes;
  }

  private keep(bytes: number): void {
    if (this.of.thread !== undefined) this.account.note(this.of.thread, bytes - this.own);
    this.own = bytes;
  }
}

const largeBytes = (bytes: number): number => (bytes > SMALL_BYTES ? bytes : 0);

function noRoom(): ApiError {
  return apiError('too_many_answers');
}

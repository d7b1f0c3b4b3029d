import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { ThreadLost } from '@fossick/base';
import type { WaitCounter } from './writer-waits.js';

/**
 * Indexes of the control words: bytes written and read so far (modulo 2^32), a number that the reader's thread reports,
 * the system's id of the thread at the far end (0: unknown), UNNAMED or GONE, and whether the reader wants no more.
 */
const [WRITTEN, READ, REPORTED, THREAD, UNWANTED] = [0, 1, 2, 3, 4];
const ENDED = -1;
/** The thread has started, on a system without thread ids. */
const UNNAMED = -2;
/**
 * Names this thread: `PID/task/THREAD`. Linux only; elsewhere a thread that ends without a message is detected by its
 * silence.
 */
const THREAD_LINK = '/proc/thread-self';
/** Has an entry for each thread of this process. Linux only. */
const THREADS_FOLDER = '/proc/self/task';
const CONTROL_BYTES = 20;
/** Header of a frame: its kind and the length of its body. */
const HEADER_BYTES = 5;
/** New bytes are published to the other thread in steps of this size. */
const PUBLISH_BYTES = 32 << 10;

/** A wait for the other thread that takes longer than this, in milliseconds, treats it as dead. */
const SILENCE_MS = 300_000;
/**
 * A wait for a thread that has not started, in milliseconds, after which it is treated as dead: starting takes some 0.1
 * s.
 */
const START_MS = 60_000;
/**
 * Interval, in milliseconds, at which a wait checks whether the other thread still exists: a thread that runs out of
 * memory ends without a message.
 */
const LOOK_MS = 100;

/** A ring of bytes in shared memory. `capacity`: a power of two. */
export function createPipe(capacity: number): SharedArrayBuffer {
  return new SharedArrayBuffer(CONTROL_BYTES + capacity);
}

/**
 * Called by the thread at the far end of these pipes, so that a wait at the near end, which blocks its event loop, ends
 * as soon as this thread does.
 */
export function announceThread(pipes: readonly SharedArrayBuffer[]): void {
  const controls = pipes.map((pipe) => new Int32Array(pipe, 0, CONTROL_BYTES / 4));
  try {
    const thread = Number(readlinkSync(THREAD_LINK).split('/').at(-1));
    for (const control of controls) Atomics.store(control, THREAD, thread);
  } catch {
    for (const control of controls) Atomics.store(control, THREAD, UNNAMED);
  }
  process.on('exit', () => {
    for (const control of controls) {
      Atomics.store(control, THREAD, ENDED);
      for (const word of [WRITTEN, READ]) Atomics.notify(control, word);
    }
  });
}

/**
 * Runs `start`, which starts the thread at the far end of these pipes, and notes the system's id of it, so that its end
 * is noticed even before it can report itself. When several threads start at the same moment no id is noted, and
 * START_MS applies.
 */
export function startWatched<T>(pipes: readonly SharedArrayBuffer[], start: () => T): T {
  const before = new Set(threadNames());
  const started = start();
  const fresh = threadNames().filter((name) => !before.has(name));
  // the thread may already have noted its own id
  if (fresh.length === 1)
    for (const pipe of pipes)
      Atomics.compareExchange(new Int32Array(pipe, 0, CONTROL_BYTES / 4), THREAD, 0, Number(fresh[0]));
  return started;
}

function threadNames(): readonly string[] {
  try {
    return readdirSync(THREADS_FOLDER);
  } catch {
    return []; // the system has no such folder
  }
}

/** The reader wants no more: the writer's work ends. */
export class PipeAbandoned extends Error {
  constructor() {
    super('what is written is not wanted any more');
    this.name = 'PipeAbandoned';
  }
}

/** One end writes and the other reads, in different threads; each blocks its thread to wait for the other. */
abstract class PipeEnd {
  protected readonly waits: WaitCounter | undefined;
  protected readonly control: Int32Array;
  protected readonly ring: Uint8Array;
  protected readonly mask: number;

  constructor(shared: SharedArrayBuffer, waits: WaitCounter | undefined) {
    this.waits = waits;
    this.control = new Int32Array(shared, 0, CONTROL_BYTES / 4);
    this.ring = new Uint8Array(shared, CONTROL_BYTES);
    this.mask = this.ring.length - 1;
  }

  /**
   * Blocks until a control word differs from `known`. Throws when the other thread is dead, or silent for `silenceMs`.
   */
  protected waitWhile(word: number, known: number, silenceMs: number): void {
    const sinceMs = performance.now();
    try {
      this.wait(word, known, silenceMs);
    } finally {
      this.waits?.waited(performance.now() - sinceMs);
    }
  }

  private wait(word: number, known: number, silenceMs: number): void {
    for (let waitedMs = 0; waitedMs < silenceMs; waitedMs += LOOK_MS) {
      const hasEnded = this.hasOtherEnded();
      if (Atomics.load(this.control, word) !== known || Atomics.load(this.control, UNWANTED) === 1) return;
      if (hasEnded) throw new ThreadLost('the other thread has ended before its time');
      if (waitedMs >= START_MS && Atomics.load(this.control, THREAD) === 0 && silenceMs <= SILENCE_MS)
        throw new Error('the other thread has not begun');
      if (Atomics.wait(this.control, word, known, LOOK_MS) !== 'timed-out') return;
    }
    throw new Error(`the other thread has said nothing for ${silenceMs} ms`);
  }

  protected hasOtherEnded(): boolean {
    const thread = Atomics.load(this.control, THREAD);
    return thread === ENDED || (thread > 0 && !existsSync(`${THREADS_FOLDER}/${thread}`));
  }
}

export class PipeWriter extends PipeEnd {
  private readonly isPatient: boolean;
  private head = 0;
  private published = 0;
  private readonly header = Buffer.alloc(HEADER_BYTES);

  /** `isPatient`: waits without a time limit. */
  constructor(shared: SharedArrayBuffer, waits?: WaitCounter, isPatient = false) {
    super(shared, waits);
    this.isPatient = isPatient;
  }

  /** The last number that the reader's thread reported. */
  get reported(): number {
    return Atomics.load(this.control, REPORTED);
  }

  /** Throws PipeAbandoned once the reader wants no more, as `write` does: for work between two writes. */
  checkWanted(): void {
    if (Atomics.load(this.control, UNWANTED) === 1) throw new PipeAbandoned();
  }

  /** Begins a frame: `length` bytes follow. */
  frame(kind: number, length: number): void {
    this.waits?.handOver();
    this.header[0] = kind;
    this.header.writeUInt32LE(length, 1);
    this.write(this.header);
  }

  /** Copies the bytes. They are published when enough have been written, or by `flush`. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      this.checkWanted();
      const tail = Atomics.load(this.control, READ);
      const free = this.ring.length - ((this.head - tail) | 0);
      if (free === 0) {
        this.flush();
        this.waitWhile(READ, tail, this.isPatient ? Number.POSITIVE_INFINITY : SILENCE_MS);
        continue;
      }
      const to = this.head & this.mask;
      const count = Math.min(bytes.length - at, free, this.ring.length - to);
      this.ring.set(count === bytes.length ? bytes : bytes.subarray(at, at + count), to);
      this.head = (this.head + count) | 0;
      at += count;
    }
    if (((this.head - this.published) | 0) >= PUBLISH_BYTES) this.flush();
  }

  flush(): void {
    this.published = this.head;
    Atomics.store(this.control, WRITTEN, this.head);
    Atomics.notify(this.control, WRITTEN);
  }
}

export class PipeReader extends PipeEnd {
  private readonly isPatient: boolean;
  private tail = 0;
  private released = 0;
  private scratch = Buffer.allocUnsafeSlow(64 << 10);

  /** `isPatient`: waits without a time limit. */
  constructor(shared: SharedArrayBuffer, isPatient: boolean, waits?: WaitCounter) {
    super(shared, waits);
    this.isPatient = isPatient;
  }

  /** Nothing more will be read: the writer's next call throws PipeAbandoned. */
  abandon(): void {
    Atomics.store(this.control, UNWANTED, 1);
    Atomics.notify(this.control, READ);
  }

  /** Reports a number to the writer's thread. */
  report(value: number): void {
    Atomics.store(this.control, REPORTED, value);
  }

  /**
   * Whether `frame` will not block: a whole frame has arrived, or none ever will, which `frame` then throws. For frames
   * shorter than the pipe.
   */
  get isReady(): boolean {
    const held = (Atomics.load(this.control, WRITTEN) - this.tail) | 0;
    if (held >= HEADER_BYTES) {
      let length = 0;
      for (let at = 4; at >= 1; at--) length = length * 256 + this.ring[(this.tail + at) & this.mask]!;
      if (held >= HEADER_BYTES + length) return true;
    }
    return this.hasOtherEnded();
  }

  /** Reads a frame; its body is valid until the next one is read. */
  frame(): { readonly kind: number; readonly body: Buffer } {
    this.waits?.handOver();
    const header = this.read(HEADER_BYTES);
    const kind = header[0]!;
    return { kind, body: this.read(header.readUInt32LE(1)) };
  }

  private read(length: number): Buffer {
    if (length > this.scratch.length) this.scratch = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)));
    for (let at = 0; at < length; ) {
      const head = Atomics.load(this.control, WRITTEN);
      const held = (head - this.tail) | 0;
      if (held === 0) {
        this.release();
        this.waitWhile(WRITTEN, head, this.isPatient ? Number.POSITIVE_INFINITY : SILENCE_MS);
        continue;
      }
      const from = this.tail & this.mask;
      const count = Math.min(length - at, held, this.ring.length - from);
      this.scratch.set(this.ring.subarray(from, from + count), at);
      this.tail = (this.tail + count) | 0;
      at += count;
      // A waiting writer gets enough free space at once to continue for a while.
      if (((this.tail - this.released) | 0) >= this.ring.length >> 2) this.release();
    }
    return this.scratch.subarray(0, length);
  }

  private release(): void {
    if (this.released === this.tail) return;
    this.released = this.tail;
    Atomics.store(this.control, READ, this.tail);
    Atomics.notify(this.control, READ);
  }
}

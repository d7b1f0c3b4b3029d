import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { ThreadLost } from '@fossick/base';

/**
 * Indexes of the control words: bytes written and read so far (modulo 2^32), a number that the reader's thread reports,
 * the system's id of the thread at the far end (0: unknown), UNNAMED or ENDED, and whether the reader wants no more.
 */
const WORDS = { written: 0, read: 1, reported: 2, thread: 3, unwanted: 4 } as const;
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

function controlOf(pipe: SharedArrayBuffer): Int32Array {
  return new Int32Array(pipe, 0, CONTROL_BYTES / 4);
}

function ringOf(pipe: SharedArrayBuffer): Uint8Array {
  return new Uint8Array(pipe, CONTROL_BYTES);
}

/**
 * Called by the thread at the far end of these pipes, so that a wait at the near end, which blocks its event loop, ends
 * as soon as this thread does.
 */
export function announceThread(pipes: readonly SharedArrayBuffer[]): void {
  const controls = pipes.map(controlOf);
  try {
    const thread = Number(readlinkSync(THREAD_LINK).split('/').at(-1));
    for (const control of controls) Atomics.store(control, WORDS.thread, thread);
  } catch {
    for (const control of controls) Atomics.store(control, WORDS.thread, UNNAMED);
  }
  process.on('exit', () => {
    for (const control of controls) {
      Atomics.store(control, WORDS.thread, ENDED);
      for (const word of [WORDS.written, WORDS.read]) Atomics.notify(control, word);
    }
  });
}

/**
 * Runs `start`, which starts the thread at the far end of these pipes, and notes the system's id of it, so that its end
 * is noticed even before it can report itself. When several threads start at the same moment no id is noted, and
 * the pipe's time limit for a start applies.
 */
export function nameFarThread<T>(pipes: readonly SharedArrayBuffer[], start: () => T): T {
  if (pipes.length === 0) return start();
  const before = new Set(threadNames());
  const started = start();
  const fresh = threadNames().filter((name) => !before.has(name));
  // the thread may already have noted its own id
  if (fresh.length === 1)
    for (const pipe of pipes) Atomics.compareExchange(controlOf(pipe), WORDS.thread, 0, Number(fresh[0]));
  return started;
}

/** Whether the thread at the far end has not started yet, as far as is known. */
function isUnknown(control: Int32Array): boolean {
  return Atomics.load(control, WORDS.thread) === 0;
}

/** Whether the thread at the far end has ended. One look at a file system in memory. */
function hasFarEnded(control: Int32Array): boolean {
  const thread = Atomics.load(control, WORDS.thread);
  return thread === ENDED || (thread > 0 && !existsSync(`${THREADS_FOLDER}/${thread}`));
}

function threadNames(): readonly string[] {
  try {
    return readdirSync(THREADS_FOLDER);
  } catch {
    return []; // the system has no such folder
  }
}

/** Counts the waits at one end of a pipe. */
export interface PipeWaits {
  /** A frame begins. */
  handOver(): void;
  /** The current frame had to wait, possibly not for the first time. */
  waited(forMs: number): void;
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
  protected readonly waits: PipeWaits | undefined;
  protected readonly control: Int32Array;
  protected readonly ring: Uint8Array;
  protected readonly mask: number;

  constructor(shared: SharedArrayBuffer, waits: PipeWaits | undefined) {
    this.waits = waits;
    this.control = controlOf(shared);
    this.ring = ringOf(shared);
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
      const hasEnded = hasFarEnded(this.control);
      if (Atomics.load(this.control, word) !== known || Atomics.load(this.control, WORDS.unwanted) === 1) return;
      if (hasEnded) throw new ThreadLost('the other thread has ended before its time');
      if (waitedMs >= START_MS && isUnknown(this.control) && silenceMs <= SILENCE_MS)
        throw new Error('the other thread has not begun');
      if (Atomics.wait(this.control, word, known, LOOK_MS) !== 'timed-out') return;
    }
    throw new Error(`the other thread has said nothing for ${silenceMs} ms`);
  }
}

export class PipeWriter extends PipeEnd {
  private readonly isPatient: boolean;
  private head = 0;
  private published = 0;
  private readonly header = Buffer.alloc(HEADER_BYTES);

  /** `isPatient`: waits without a time limit. */
  constructor(shared: SharedArrayBuffer, waits?: PipeWaits, isPatient = false) {
    super(shared, waits);
    this.isPatient = isPatient;
  }

  /** The last number that the reader's thread reported. */
  get reported(): number {
    return Atomics.load(this.control, WORDS.reported);
  }

  /** Throws PipeAbandoned once the reader wants no more, as `write` does: for work between two writes. */
  checkWanted(): void {
    if (Atomics.load(this.control, WORDS.unwanted) === 1) throw new PipeAbandoned();
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
      const tail = Atomics.load(this.control, WORDS.read);
      const free = this.ring.length - ((this.head - tail) | 0);
      if (free === 0) {
        this.flush();
        this.waitWhile(WORDS.read, tail, this.isPatient ? Number.POSITIVE_INFINITY : SILENCE_MS);
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
    Atomics.store(this.control, WORDS.written, this.head);
    Atomics.notify(this.control, WORDS.written);
  }
}

export class PipeReader extends PipeEnd {
  private readonly isPatient: boolean;
  private tail = 0;
  private released = 0;
  private scratch = Buffer.allocUnsafeSlow(64 << 10);

  /** `isPatient`: waits without a time limit. */
  constructor(shared: SharedArrayBuffer, isPatient: boolean, waits?: PipeWaits) {
    super(shared, waits);
    this.isPatient = isPatient;
  }

  /** Nothing more will be read: the writer's next call throws PipeAbandoned. */
  abandon(): void {
    Atomics.store(this.control, WORDS.unwanted, 1);
    Atomics.notify(this.control, WORDS.read);
  }

  /** Reports a number to the writer's thread. */
  report(value: number): void {
    Atomics.store(this.control, WORDS.reported, value);
  }

  /**
   * Whether `frame` will not block: a whole frame has arrived, or none ever will, which `frame` then throws. For frames
   * shorter than the pipe.
   */
  get isReady(): boolean {
    const held = (Atomics.load(this.control, WORDS.written) - this.tail) | 0;
    if (held >= HEADER_BYTES) {
      let length = 0;
      for (let at = 4; at >= 1; at--) length = length * 256 + this.ring[(this.tail + at) & this.mask]!;
      if (held >= HEADER_BYTES + length) return true;
    }
    return hasFarEnded(this.control);
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
      const head = Atomics.load(this.control, WORDS.written);
      const held = (head - this.tail) | 0;
      if (held === 0) {
        this.release();
        this.waitWhile(WORDS.written, head, this.isPatient ? Number.POSITIVE_INFINITY : SILENCE_MS);
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
    Atomics.store(this.control, WORDS.read, this.tail);
    Atomics.notify(this.control, WORDS.read);
  }
}

import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import type { WaitCounter } from './writer-waits.js';

/**
 * Positions in the control words: bytes written and read so far (modulo 2^32), a number the reader's thread tells, and how the system calls
 * the thread at the far end (0: nobody knows), UNNAMED or GONE.
 */
const [WRITTEN, READ, TOLD, THREAD] = [0, 1, 2, 3];
const GONE = -1;
/** It has begun, on a system that has no name for it. */
const UNNAMED = -2;
/** Names this thread: `PID/task/THREAD`. Linux only; elsewhere a thread that ends without a word is taken for deleted by its silence. */
const THREAD_LINK = '/proc/thread-self';
/** Holds an entry for each thread of this process. Linux only. */
const THREADS_FOLDER = '/proc/self/task';
const CONTROL_BYTES = 16;
/** Of a frame: its kind and the length of its body. */
const HEADER_BYTES = 5;
/** The other thread is told of so many new bytes at once. */
const PUBLISH_BYTES = 32 << 10;

/** Whoever waits this long for the other thread, in milliseconds, takes it for deleted. */
const SILENCE_MS = 300_000;
/** Whoever waits this long for a thread that has not begun, in milliseconds, takes it for deleted: starting takes some 0.1 s. */
const START_MS = 60_000;
/** So often whoever waits looks whether the other thread is still there: one that runs out of memory ends without a word. */
const LOOK_MS = 100;

/** A ring of bytes in shared memory. `capacity`: a power of two. */
export function createPipe(capacity: number): SharedArrayBuffer {
  return new SharedArrayBuffer(CONTROL_BYTES + capacity);
}

/**
 * To be called by the thread at the far end of these pipes, so that whoever waits for it at the near end, which blocks its event loop, hears
 * of its end at once when it can say so, and soon when it cannot.
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
      Atomics.store(control, THREAD, GONE);
      for (const word of [WRITTEN, READ]) Atomics.notify(control, word);
    }
  });
}

/**
 * Runs `start`, which starts the thread at the far end of these pipes, and notes how the system calls it, so that it is missed also when it
 * ends before it can say anything. Of several threads that begin at this moment none is noted: then START_MS holds.
 */
export function startWatched<T>(pipes: readonly SharedArrayBuffer[], start: () => T): T {
  const before = new Set(threadNames());
  const started = start();
  const fresh = threadNames().filter((name) => !before.has(name));
  // the thread itself may have been faster
  if (fresh.length === 1)
    for (const pipe of pipes)
      Atomics.compareExchange(new Int32Array(pipe, 0, CONTROL_BYTES / 4), THREAD, 0, Number(fresh[0]));
  return started;
}

function threadNames(): readonly string[] {
  try {
    return readdirSync(THREADS_FOLDER);
  } catch {
    return []; // no such thing on this system
  }
}

/** One end writes, the other reads, in different threads; each waits for the other, blocking its own. */
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

  /** Waits until a control word is no longer `known`. Throws when the other thread is gone, or nothing happens for long. */
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
      const isGone = this.isOtherGone();
      if (Atomics.load(this.control, word) !== known) return;
      if (isGone) throw new Error('the other thread has ended before its time');
      if (waitedMs >= START_MS && Atomics.load(this.control, THREAD) === 0 && silenceMs <= SILENCE_MS)
        throw new Error('the other thread has not begun');
      if (Atomics.wait(this.control, word, known, LOOK_MS) !== 'timed-out') return;
    }
    throw new Error(`the other thread has said nothing for ${silenceMs} ms`);
  }

  protected isOtherGone(): boolean {
    const thread = Atomics.load(this.control, THREAD);
    return thread === GONE || (thread > 0 && !existsSync(`${THREADS_FOLDER}/${thread}`));
  }
}

export class PipeWriter extends PipeEnd {
  private readonly isPatient: boolean;
  private head = 0;
  private published = 0;
  private readonly header = Buffer.alloc(HEADER_BYTES);

  /** `isPatient`: it is all right to wait for ever. */
  constructor(shared: SharedArrayBuffer, waits?: WaitCounter, isPatient = false) {
    super(shared, waits);
    this.isPatient = isPatient;
  }

  /** What the reader's thread told last. */
  get reported(): number {
    return Atomics.load(this.control, TOLD);
  }

  /** Begins a frame: `length` bytes follow. */
  frame(kind: number, length: number): void {
    this.waits?.handOver();
    this.header[0] = kind;
    this.header.writeUInt32LE(length, 1);
    this.write(this.header);
  }

  /** The bytes are copied. They are on their way when enough has come together, or with `flush`. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
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

  /** `isPatient`: it is all right to wait for ever. */
  constructor(shared: SharedArrayBuffer, isPatient: boolean, waits?: WaitCounter) {
    super(shared, waits);
    this.isPatient = isPatient;
  }

  /** A number for the writer's thread. */
  tell(value: number): void {
    Atomics.store(this.control, TOLD, value);
  }

  /**
   * Whether a frame is there from its first byte to its last, or never will be, as `frame` then says: reading it waits for nobody. For frames
   * that are shorter than the pipe.
   */
  get isReady(): boolean {
    const held = (Atomics.load(this.control, WRITTEN) - this.tail) | 0;
    if (held >= HEADER_BYTES) {
      let length = 0;
      for (let at = 4; at >= 1; at--) length = length * 256 + this.ring[(this.tail + at) & this.mask]!;
      if (held >= HEADER_BYTES + length) return true;
    }
    return this.isOtherGone();
  }

  /** Reads a frame and hands it on; its body is good until the next one is read. */
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
      // A writer that waits for room gets enough of it to go on for a while.
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

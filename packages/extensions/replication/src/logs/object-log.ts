import {
  bytesOf,
  checkKey,
  jsonOf,
  MissingStoreError,
  type ObjectStore,
  ObjectStoreError,
  type PutOptions,
  UnsafeStoreError,
} from '@fossick/objects';
import { DamagedLogError, TrimmedError } from '../log-errors.js';
import type { AppendOutcome, Beat, CommitLog, StoredEntry } from '../port.js';

/** Digits of a position or generation in a key: keys are in the order of the numbers. */
const DIGITS = 20;
const NUMBER = /^\d{20}$/;
/** An entry and what its store adds. */
const ENTRY_OBJECT_BYTES_MAX = 16 << 20;
const SMALL_OBJECT_BYTES_MAX = 4_096;
/** Entries that are asked for at a time, after as many. */
const READ_AHEAD = 8;
/** Looks at the end of the log for each list of what comes after it, which costs as much as several of them. */
const LOOKS_PER_LIST = 64;

export interface ObjectLogOptions {
  readonly objects: ObjectStore;
  /** Keys of the log begin with `log/NAME/`. */
  readonly name: string;
  /** Entries asked for at a time at most; 8 when absent. */
  readonly readAhead?: number;
}

/**
 * A log of objects, after the protocol OSWALD (https://nvartolomei.com/oswald): an entry is an object that is created if
 * absent, so each position is written once.
 *
 *     log/NAME/entries/00000000000000000007   the bytes of entry 7
 *     log/NAME/floors/00000000000000000002    {"floor":120}: generation 2 of the floor
 *     log/NAME/beat                           the last beat
 *
 * Removing entries makes their positions absent again, and a node that was stopped in the middle of an append could
 * create one a second time. So the floor is raised first and entries are deleted afterwards, and anyone who has created or
 * read an entry looks at the floor then: below it, what was done does not count.
 *
 * The floor is a sequence of objects, too, each created if absent and never deleted: nobody can lower it, and creating
 * is all that the store has to do atomically. An append is one PUT and one GET of the next generation, which is absent.
 */
export class ObjectLog implements CommitLog {
  private readonly objects: ObjectStore;
  private readonly prefix: string;
  private readonly readAhead: number;
  /** The last known generation, 0 before the first, and its floor. */
  private generation = 0;
  private floor = 1;
  private isGenerationKnown = false;
  /** Looks at the end until the next list. */
  private looksLeft = 0;

  constructor({ objects, name, readAhead = READ_AHEAD }: ObjectLogOptions) {
    checkKey(name);
    this.objects = objects;
    this.prefix = `log/${name}`;
    this.readAhead = readAhead;
  }

  async append(position: number, bytes: Uint8Array): Promise<AppendOutcome> {
    try {
      const outcome = await this.putEntry(position, bytes);
      await this.expectAbove(position);
      if (outcome === 'gap') return 'gap';
      return outcome === 'put' ? 'appended' : 'taken';
    } catch (error) {
      if (error instanceof TrimmedError) throw error;
      return error instanceof ObjectStoreError && error.isUnwritten ? 'refused' : 'unknown';
    }
  }

  async read(from: number, bytesMax: number): Promise<readonly StoredEntry[]> {
    const found: StoredEntry[] = [];
    let bytesLeft = bytesMax;
    let isAtEnd = false;
    // as many again as there were so far: a look at the end asks for one entry that is not there, and not for eight
    for (let count = 1; !isAtEnd; count = Math.min(found.length, this.readAhead)) {
      const positions = Array.from({ length: count }, (_, at) => from + found.length + at);
      for (const [at, bytes] of (await Promise.all(positions.map((position) => this.entry(position)))).entries()) {
        isAtEnd ||= bytes === null || (bytesLeft < bytes.length && found.length > 0);
        if (isAtEnd) break;
        bytesLeft -= bytes!.length;
        const position = positions[at]!;
        found.push({ position, bytes: bytes!, key: this.entryKey(position) });
      }
      isAtEnd ||= bytesLeft <= 0;
    }
    await this.expectAbove(from);
    if (found.length === 0) await this.expectEnd(from);
    return found;
  }

  /** Nothing announces entries: the caller asks now and then. */
  watch(): Disposable {
    return { [Symbol.dispose]: () => undefined };
  }

  async beat(beat: Beat): Promise<void> {
    await this.objects.put(`${this.prefix}/beat`, Buffer.from(JSON.stringify(beat)));
  }

  async lastBeat(): Promise<Beat | null> {
    const key = `${this.prefix}/beat`;
    const body = await this.objects.get(key);
    if (body === null) return null;
    const beat = jsonOf(await bytesOf(body, SMALL_OBJECT_BYTES_MAX), key) as Partial<Beat> | null;
    const { node, epoch, count } = beat ?? {};
    if (typeof node !== 'string' || typeof epoch !== 'number' || typeof count !== 'number') throw unlikely(key);
    return { node, epoch, count };
  }

  async trim(before: number): Promise<void> {
    await this.readFloor();
    while (this.floor < before) {
      const body = Buffer.from(JSON.stringify({ floor: before }));
      await this.objects.put(this.floorKey(this.generation + 1), body, { ifAbsent: true });
      await this.readFloor();
    }
    for await (const position of this.numbers('entries')) {
      if (position >= this.floor) break;
      await this.objects.delete(this.entryKey(position));
    }
  }

  async close(): Promise<void> {}

  /** An entry after a gap would never be read. The entries before it may be gone because they were trimmed. */
  private async putEntry(position: number, bytes: Uint8Array): Promise<'put' | 'exists' | 'gap'> {
    const key = this.entryKey(position);
    const options: PutOptions = { ifAbsent: true };
    if (position > this.floor)
      try {
        return await this.objects.put(key, bytes, { ...options, requires: this.entryKey(position - 1) });
      } catch (error) {
        if (!(error instanceof MissingStoreError)) throw error;
        await this.readFloor();
        if (position > this.floor) return 'gap';
      }
    return this.objects.put(key, bytes, options);
  }

  private async entry(position: number): Promise<Uint8Array | null> {
    const body = await this.objects.get(this.entryKey(position));
    return body === null ? null : await bytesOf(body, ENTRY_OBJECT_BYTES_MAX);
  }

  /** Throws DamagedLogError when there are entries after a position that has none. Looks with the first call and now and then. */
  private async expectEnd(position: number): Promise<void> {
    if (this.looksLeft > 0) {
      this.looksLeft -= 1;
      return;
    }
    for await (const found of this.numbers('entries', this.entryKey(position - 1))) {
      // entries are written in order, so one that is there now was only late; a network file system may list it before it can be read
      if (found === position || (await this.entry(position)) !== null) return;
      await this.expectAbove(position);
      throw new DamagedLogError(position, 'it is missing, and entries after it are there');
    }
    this.looksLeft = LOOKS_PER_LIST;
  }

  private async expectAbove(position: number): Promise<void> {
    await this.readFloor();
    if (position < this.floor) throw new TrimmedError(position, this.floor);
  }

  /** The floor as of now: the generation after it is absent. */
  private async readFloor(): Promise<void> {
    if (!this.isGenerationKnown) await this.findGeneration();
    for (;;) {
      const generation = this.generation + 1;
      const key = this.floorKey(generation);
      const body = await this.objects.get(key);
      if (body === null) return;
      const value = jsonOf(await bytesOf(body, SMALL_OBJECT_BYTES_MAX), key) as { readonly floor?: unknown } | null;
      const floor = value?.floor;
      if (typeof floor !== 'number' || !Number.isSafeInteger(floor)) throw unlikely(key);
      // another call may have read it meanwhile
      if (this.generation >= generation) continue;
      this.generation = generation;
      this.floor = Math.max(this.floor, floor);
    }
  }

  /** Goes to the last generation but one, so that a node need not read all of them. */
  private async findGeneration(): Promise<void> {
    let last = 0;
    for await (const generation of this.numbers('floors')) last = generation;
    this.generation = Math.max(this.generation, last - 1, 0);
    this.isGenerationKnown = true;
  }

  /** The numbers that are names of objects of a folder, in order. Whatever else is there is not of the log. */
  private async *numbers(folder: 'entries' | 'floors', after?: string): AsyncGenerator<number> {
    const prefix = `${this.prefix}/${folder}/`;
    for await (const { key } of this.objects.list(prefix, after)) {
      const name = key.slice(prefix.length);
      if (NUMBER.test(name)) yield Number(name);
    }
  }

  private entryKey(position: number): string {
    return `${this.prefix}/entries/${String(position).padStart(DIGITS, '0')}`;
  }

  private floorKey(generation: number): string {
    return `${this.prefix}/floors/${String(generation).padStart(DIGITS, '0')}`;
  }
}

function unlikely(key: string): UnsafeStoreError {
  return new UnsafeStoreError(`the object ${key} is not what was put there`);
}

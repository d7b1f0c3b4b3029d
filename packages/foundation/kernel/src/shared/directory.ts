import type { KernelExports } from '../kernel-exports.js';
import type { Memory } from '../kernel-memory.js';
import type { Block, Ptr } from '../ptr.js';
import { DirectoryWords, type EntryPlace, type OldEntry } from './directory-words.js';
import type { SharedKernel } from './shared-memory.js';
import type { MadeStructure, Structure, Structures } from './structures.js';

/** Words of a record before its blocks: bytes of the key, numbers of blocks and of numbers, and bytes of the blocks. The key follows the numbers. */
const HEAD_WORDS = 4;
/**
 * The structures that the threads of a shared memory have published, by key. A structure is made by one thread in blocks of its own, and belongs to
 * nobody once it is published. It may be evicted by any thread when no running view uses it.
 */
export class Directory implements Structures {
  private readonly words: DirectoryWords;
  private readonly memory: Memory;
  private readonly exports: KernelExports;
  private readonly own: Structures;
  private readonly encoder = new TextEncoder();
  /** The number of the running view; 0 when none runs. */
  private view = 0;
  /** What one look at all structures has found, for many evictions: those that were used longest ago, the oldest last. */
  private old: OldEntry[] = [];
  /** How many views had ended when all structures were found to be in use. */
  private fruitless = -1;

  /** @param own for structures of this thread alone, where none can be published */
  constructor({ directory, thread }: SharedKernel, exports: KernelExports, memory: Memory, own: Structures) {
    this.words = new DirectoryWords(directory, thread);
    this.exports = exports;
    this.memory = memory;
    this.own = own;
  }

  /** Begins a view of this thread and returns its number, which is higher than those of earlier views of all threads. */
  beginView(): number {
    if (this.view !== 0) this.endView();
    this.view = this.words.beginView();
    return this.view;
  }

  /** Ends the view: structures that it has used may be evicted. */
  endView(): void {
    this.view = 0;
    this.words.endView();
  }

  /** Runs `work`, which may have views, while no other thread has one: what others have used may then be evicted. Waits for them, for some seconds at most. */
  alone<T>(work: () => T): T {
    return this.words.alone(work);
  }

  /** Whether a thread has ended while it changed the memory, which nobody can use any more. */
  get isLost(): boolean {
    return this.words.isLost;
  }

  /** Whether the memory has to be replaced, because it is lost, or because views cannot be counted much longer. */
  get isWorn(): boolean {
    return this.words.isLost || this.words.isWorn;
  }

  /** The number of the last view of any thread. */
  get lastView(): number {
    return this.words.lastView;
  }

  /** How often any thread has evicted a structure, modulo 2^32. */
  get evictedCount(): number {
    return this.words.evictedCount;
  }

  /** Number of structures. */
  get count(): number {
    return this.words.count;
  }

  load(key: string, make: () => MadeStructure): Structure {
    const bytes = this.encoder.encode(key);
    const hash = hashOf(bytes);
    const { words } = this;
    // outside of views nothing keeps a structure from being evicted
    if (this.view === 0) return this.own.load(key, make);
    const known = words.locked(() => this.find(bytes, hash));
    if (known !== undefined) return known;
    const made = make();
    const record = this.writeRecord(bytes, made);
    const place = words.locked(() => {
      const other = this.find(bytes, hash);
      if (other !== undefined) return other;
      const added = words.add(hash, record, this.view);
      if (added !== undefined) for (const block of [record, ...made.blocks]) this.exports.heapShare(block);
      return added;
    });
    if (place !== undefined && !(place instanceof Published)) return new Published(this, place, made);
    this.memory.free(record);
    if (place === undefined) return this.own.load(key, () => made);
    for (const block of made.blocks) this.memory.free(block);
    return place;
  }

  scope(prefix: string): Structures {
    return new Scope(this, prefix);
  }

  use(place: EntryPlace): boolean {
    return this.words.use(place, this.view);
  }

  isThere(place: EntryPlace): boolean {
    return this.words.has(place);
  }

  /**
   * Evicts the structure that was used longest ago among those that no running view uses, and frees its memory. Its bytes, at least 1; 0 when there is none, or
   * when the last view that has used it is not before `before`.
   */
  evict(before = Number.POSITIVE_INFINITY): number {
    const { words } = this;
    if (words.endedViews === this.fruitless) return 0;
    for (let next = this.nextOld(); next !== undefined && next.used < before; next = this.nextOld()) {
      const found = next;
      const bytes = this.free(() => words.evict(found));
      if (bytes > 0) return bytes;
      this.old.pop(); // it was used meanwhile
    }
    return 0;
  }

  /** What was used longest ago and may be evicted. Undefined, until another view ends, when everything is in use. */
  private nextOld(): OldEntry | undefined {
    const { words } = this;
    for (let next = this.old.at(-1); next !== undefined; next = this.old.at(-1)) {
      if (words.mayEvict(next)) return next;
      this.old.pop();
    }
    const ended = words.endedViews;
    this.old = words.findOld().toReversed();
    if (this.old.length === 0) this.fruitless = ended;
    return this.old.at(-1);
  }

  /** Evicts a structure that nobody will need any more, unless a running view has used it. */
  discard(place: EntryPlace): void {
    this.free(() => this.words.evictUnused(place));
  }

  /** Frees the structure whose entry `evict` removes, which returns its address. Its bytes; 0 when there is none. */
  private free(evict: () => number | undefined): number {
    const { words, exports, memory } = this;
    const evicted = words.locked(() => {
      const address = evict();
      if (address === undefined) return undefined;
      const { blocks, byteCount } = this.readRecord(address);
      const all = [address, ...blocks];
      // should this thread end before they are free, they are freed with what it has for itself
      for (const block of all) exports.heapOwn(block);
      return { all, byteCount };
    });
    for (const block of evicted?.all ?? []) memory.free(block);
    return evicted === undefined ? 0 : Math.max(1, evicted.byteCount);
  }

  private find(key: Uint8Array, hash: number): Published | undefined {
    for (const { place, address } of this.words.withHash(hash)) {
      const record = this.readRecord(address);
      if (!isSame(record.key, key)) continue;
      return this.words.use(place, this.view) ? new Published(this, place, record) : undefined;
    }
    return undefined;
  }

  private writeRecord(key: Uint8Array, { blocks, numbers = [], byteCount }: MadeStructure): Block {
    const head = Uint32Array.of(key.length, blocks.length, numbers.length, byteCount, ...blocks, ...numbers);
    const record = this.memory.allocate(head.byteLength + key.length);
    this.memory.write(record, new Uint8Array(head.buffer));
    this.memory.write(record, key, head.byteLength);
    return record;
  }

  private readRecord(address: Ptr): Required<MadeStructure> & { readonly key: Uint8Array } {
    const at = address as never;
    const { memory } = this;
    const [keyBytes, blockCount, numberCount, byteCount] = memory.u32s(at, 0, HEAD_WORDS) as unknown as [
      number,
      number,
      number,
      number,
    ];
    const words = memory.u32s(at, HEAD_WORDS, blockCount + numberCount);
    const key = memory.read(at, keyBytes, (HEAD_WORDS + words.length) * 4);
    return { blocks: [...words.subarray(0, blockCount)], numbers: [...words.subarray(blockCount)], byteCount, key };
  }
}

/** A structure of the directory. */
class Published implements Structure {
  readonly blocks: readonly Ptr[];
  readonly numbers: readonly number[];
  readonly ownBytes = 0;
  private readonly directory: Directory;
  private readonly place: EntryPlace;

  constructor(directory: Directory, place: EntryPlace, { blocks, numbers = [] }: MadeStructure) {
    this.directory = directory;
    this.place = place;
    this.blocks = blocks;
    this.numbers = numbers;
  }

  use(): boolean {
    return this.directory.use(this.place);
  }

  isThere(): boolean {
    return this.directory.isThere(this.place);
  }

  free(): void {
    // it belongs to all threads
  }

  discard(): void {
    this.directory.discard(this.place);
  }
}

class Scope implements Structures {
  private readonly directory: Directory;
  private readonly prefix: string;

  constructor(directory: Directory, prefix: string) {
    this.directory = directory;
    this.prefix = prefix;
  }

  load(key: string, make: () => MadeStructure): Structure {
    return this.directory.load(this.prefix + key, make);
  }

  scope(prefix: string): Structures {
    return new Scope(this.directory, this.prefix + prefix);
  }
}

/** FNV-1a, never negative. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 1;
}

const isSame = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => byte === right[at]);

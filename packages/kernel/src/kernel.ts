import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BitmapHost } from './bitmap-host.js';
import { WasmInverter } from './inverter.js';
import { LIST_PAIR_BYTES, PLACED_HEADER_BYTES } from './layout.js';
import { type KernelExports, type LinearMemory, MemoryView } from './memory.js';
import type { GroupsByDocument, Inverter, Kernel, KeyedGroups, LivePostings, MadeList, Ptr } from './port.js';

export interface KernelOptions {
  /** `checked` traps on broken contracts; default `fast`. */
  readonly build?: 'fast' | 'checked';
}

/** No limit for a count of documents. */
const MAX_COUNT = 0xffff_ffff;

/** Merging by counting takes four bytes for each document there may be: not for so many times fewer documents in the lists. */
const SPARSE_SHARE = 64;

const compiled = new Map<string, WebAssembly.Module>();

/**
 * A kernel with its own memory. Synchronous; the module is compiled once per thread and build.
 * Throws when the package has not been built, or on a machine without WebAssembly SIMD.
 */
export function createKernel(options: KernelOptions = {}): Kernel {
  const build = options.build ?? 'fast';
  let module = compiled.get(build);
  if (module === undefined) {
    module = new WebAssembly.Module(readWasm(build));
    compiled.set(build, module);
  }
  const instance = new WebAssembly.Instance(module, {});
  // The boundary: what assembly/index.ts exports are functions of integers, and one memory.
  const exports = instance.exports as unknown as KernelExports & { readonly memory: LinearMemory };
  return new WasmKernel(exports, new MemoryView(exports, exports.memory));
}

/** The wasm lies in build/ beside both src/ and dist/. */
function readWasm(build: 'fast' | 'checked'): Uint8Array<ArrayBuffer> {
  const path = fileURLToPath(new URL(`../build/kernel.${build}.wasm`, import.meta.url));
  try {
    return new Uint8Array(readFileSync(path));
  } catch (cause) {
    throw new Error(`${path} is missing: run npm run build in packages/kernel first`, { cause });
  }
}

/** The port over a compiled kernel: every method is a call or a few; those of dictionaries and bitmaps come from hosts of their own. */
class WasmKernel extends BitmapHost implements Kernel {
  readonly #exports: KernelExports;
  readonly #memory: MemoryView;

  constructor(exports: KernelExports, memory: MemoryView) {
    super(exports, memory);
    this.#exports = exports;
    this.#memory = memory;
  }

  allocate(byteCount: number): Ptr {
    return this.#memory.alloc(byteCount);
  }

  free(ptr: Ptr): void {
    this.#memory.free(ptr);
  }

  write(ptr: Ptr, bytes: Uint8Array): void {
    this.#memory.u8.set(bytes, ptr);
  }

  read(ptr: Ptr, byteCount: number): Uint8Array {
    return this.#memory.u8.slice(ptr, ptr + byteCount);
  }

  readU32(ptr: Ptr, count: number): Uint32Array {
    if (ptr % 4 !== 0) return new Uint32Array(this.read(ptr, count * 4).buffer);
    return this.#memory.u32.slice(ptr >>> 2, (ptr >>> 2) + count);
  }

  writeU32(ptr: Ptr, values: ArrayLike<number>): void {
    if (ptr % 4 === 0) this.#memory.u32.set(values, ptr >>> 2);
    else this.write(ptr, new Uint8Array(Uint32Array.from(values).buffer));
  }

  loadU32(ptr: Ptr): number {
    return this.#memory.u32[ptr >>> 2]!;
  }

  storeU32(ptr: Ptr, value: number): void {
    this.#memory.u32[ptr >>> 2] = value;
  }

  mark(): number {
    return this.#memory.mark();
  }

  release(mark: number): void {
    this.#memory.release(mark);
  }

  scratch(byteCount: number): Ptr {
    return this.#memory.scratch(byteCount);
  }

  get allocatedBytes(): number {
    return this.#exports['heapUsedBytes']!() >>> 0;
  }

  get memoryBytes(): number {
    return this.#memory.u8.length;
  }

  createInverter(): Inverter {
    return new WasmInverter(this.#exports, this.#memory);
  }

  docCount(postings: Ptr): number {
    return this.#exports['postingsDocCount']!(postings) >>> 0;
  }

  orDocs(target: Ptr, list: LivePostings): void {
    this.#exports['orDocs']!(target, list.ptr, list.dead);
  }

  orListsDocs(target: Ptr, lists: readonly LivePostings[]): void {
    const mark = this.#memory.mark();
    this.#exports['orListsDocs']!(target, this.#writePairs(lists), lists.length);
    this.#memory.release(mark);
  }

  orDocsInFields(target: Ptr, list: LivePostings, fields: Ptr, fieldCount: number): void {
    this.#exports['orDocsInFields']!(target, list.ptr, list.dead, fields, fieldCount);
  }

  adjacentCount(left: LivePostings, right: LivePostings, limit = MAX_COUNT): number {
    return this.#exports['adjacentCount']!(left.ptr, left.dead, right.ptr, right.dead, limit) >>> 0;
  }

  sameFieldCount(left: LivePostings, right: LivePostings, limit = MAX_COUNT): number {
    return this.#exports['sameFieldCount']!(left.ptr, left.dead, right.ptr, right.dead, limit) >>> 0;
  }

  gatherPositions(lists: readonly LivePostings[], universe: Ptr): Ptr {
    const pairs = this.#writePairs(lists);
    return this.#exports['gatherPositions']!(pairs, lists.length, universe) >>> 0;
  }

  tableCount(table: Ptr): number {
    return this.#exports['tableCount']!(table) >>> 0;
  }

  spreadFields(table: Ptr, universe: Ptr, bitmaps: Ptr, fieldCount: number): void {
    this.#exports['spreadFields']!(table, universe, bitmaps, fieldCount);
  }

  spreadPositions(table: Ptr, universe: Ptr, bitmaps: Ptr): void {
    this.#exports['spreadPositions']!(table, universe, bitmaps);
  }

  near(left: Ptr, right: Ptr, universe: Ptr, near1: Ptr, near2: Ptr, near3: Ptr): void {
    this.#exports['near']!(left, right, universe, near1, near2, near3);
  }

  sameField(left: Ptr, right: Ptr, universe: Ptr, target: Ptr): void {
    this.#exports['sameField']!(left, right, universe, target);
  }

  spreadListFields(lists: readonly LivePostings[], universe: Ptr, bitmaps: Ptr, fieldCount: number): void {
    const mark = this.#memory.mark();
    this.#exports['spreadListFields']!(this.#writePairs(lists), lists.length, universe, bitmaps, fieldCount);
    this.#memory.release(mark);
  }

  spreadListPositions(lists: readonly LivePostings[], universe: Ptr, bitmaps: Ptr): void {
    const mark = this.#memory.mark();
    this.#exports['spreadListPositions']!(this.#writePairs(lists), lists.length, universe, bitmaps);
    this.#memory.release(mark);
  }

  placeList(list: Ptr, docs: Ptr, bitmaps: Ptr, fieldCount: number): MadeList {
    const docCount = this.count(docs);
    const made = this.#newPlaced(docs, docCount, docCount + 1);
    this.#exports['placeList']!(made.ptr, docs, docCount, list, bitmaps, bitmaps === 0 ? 0 : fieldCount);
    return made;
  }

  placeWords(addresses: Uint32Array, docs: Ptr, bitmaps: Ptr, fieldCount: number): MadeList {
    const docCount = this.count(docs);
    const made = this.#newPlaced(docs, docCount, 0);
    const mark = this.#memory.mark();
    const lists = this.#writeAddresses(addresses);
    this.#exports['placeWords']!(
      made.ptr,
      docs,
      docCount,
      lists,
      addresses.length,
      bitmaps,
      bitmaps === 0 ? 0 : fieldCount,
    );
    this.#memory.release(mark);
    return made;
  }

  orPlaces(target: Ptr, placed: Ptr, within: Ptr, dead: Ptr, wanted: number): void {
    this.#exports['orPlaces']!(target, placed, within, dead, wanted);
  }

  spreadPlaces(placed: Ptr, universe: Ptr, dead: Ptr, bitmaps: Ptr): void {
    this.#exports['spreadPlaces']!(placed, universe, dead, bitmaps);
  }

  nearLists(left: LivePostings, right: LivePostings, universe: Ptr, near1: Ptr, near2: Ptr, near3: Ptr): void {
    this.#meet(left, right, universe, 0, near1, near2, near3);
  }

  adjacentLists(left: LivePostings, right: LivePostings, universe: Ptr, target: Ptr): void {
    this.#meet(left, right, universe, 2, target, target, target);
  }

  sameFieldLists(left: LivePostings, right: LivePostings, universe: Ptr, target: Ptr): void {
    this.#meet(left, right, universe, 1, target, target, target);
  }

  mergePostings(lists: readonly LivePostings[]): Uint8Array {
    const mark = this.#memory.mark();
    const merged = this.#exports['mergePostings']!(this.#writePairs(lists), lists.length) >>> 0;
    this.#memory.release(mark);
    if (merged === 0) return new Uint8Array(0);
    const bytes = this.read(merged + 8, this.#memory.u32[merged >>> 2]!);
    this.#exports['freeMerged']!(merged);
    return bytes;
  }

  mergeWords(addresses: Uint32Array, docBound: number): MadeList | null {
    if (this.wordsDocCount(addresses) * SPARSE_SHARE < docBound)
      return this.#madeOf(this.mergePostings(Array.from(addresses, (ptr) => ({ ptr, dead: 0 }))));
    const mark = this.#memory.mark();
    const lists = this.#writeAddresses(addresses);
    const ptr = this.#exports['mergeWords']!(lists, addresses.length, docBound) >>> 0;
    this.#memory.release(mark);
    return ptr === 0 ? null : { ptr, byteCount: this.#exports['mergedBytes']!() >>> 0 };
  }

  wordsDocCount(addresses: Uint32Array): number {
    const mark = this.#memory.mark();
    const count = this.#exports['wordsDocCount']!(this.#writeAddresses(addresses), addresses.length);
    this.#memory.release(mark);
    return count;
  }

  orWordsDocs(target: Ptr, addresses: Uint32Array): void {
    const mark = this.#memory.mark();
    this.#exports['orWordsDocs']!(target, this.#writeAddresses(addresses), addresses.length);
    this.#memory.release(mark);
  }

  spreadWordsFields(addresses: Uint32Array, bitmaps: Ptr, fieldCount: number): void {
    const mark = this.#memory.mark();
    this.#exports['spreadWordsFields']!(this.#writeAddresses(addresses), addresses.length, bitmaps, fieldCount);
    this.#memory.release(mark);
  }

  #writeAddresses(addresses: Uint32Array): Ptr {
    const lists = this.#memory.scratch(addresses.length * 4);
    this.writeU32(lists, addresses);
    return lists;
  }

  #madeOf(bytes: Uint8Array): MadeList | null {
    if (bytes.length === 0) return null;
    const ptr = this.allocate(bytes.length);
    this.write(ptr, bytes);
    return { ptr, byteCount: bytes.length };
  }

  sumVarints(bytes: Uint8Array): Uint32Array {
    const mark = this.#memory.mark();
    const [from, count] = this.#writeVarints(bytes);
    const out = this.#memory.scratch((count + 1) * 4);
    this.#exports['sumVarints']!(from, bytes.length, out);
    const sums = this.readU32(out, count + 1);
    this.#memory.release(mark);
    return sums;
  }

  readGroups(bytes: Uint8Array): KeyedGroups {
    const mark = this.#memory.mark();
    const [from, count] = this.#writeVarints(bytes);
    // A group takes two numbers beside its docids, so keys and offsets never need more room than numbers are left for them.
    const offsets = this.allocate((count + 1) * 4);
    const keys = this.#memory.scratch(count * 4);
    const places = this.#memory.scratch((count + 1) * 4);
    const docIds = this.#memory.scratch(count * 4);
    const groupCount = this.#exports['readGroups']!(from, bytes.length, keys, places, docIds) >>> 0;
    const found = this.readU32(keys, groupCount);
    this.writeU32(offsets, this.readU32(places, groupCount + 1));
    this.writeU32(offsets + (groupCount + 1) * 4, this.readU32(docIds, count - 2 * groupCount));
    this.#memory.release(mark);
    return { keys: found, offsets, docIds: offsets + (groupCount + 1) * 4 };
  }

  #writeVarints(bytes: Uint8Array): readonly [from: Ptr, count: number] {
    const from = this.#memory.scratch(bytes.length);
    this.write(from, bytes);
    return [from, this.#exports['countVarints']!(from, bytes.length) >>> 0];
  }

  orGroups(target: Ptr, offsets: Ptr, docIds: Ptr, from: number, to: number): void {
    this.#exports['orGroups']!(target, offsets, docIds, from, to);
  }

  countGroups(bitmap: Ptr, offsets: Ptr, docIds: Ptr, groupCount: number, counts: Ptr): void {
    this.#exports['countGroups']!(bitmap, offsets, docIds, groupCount, counts);
  }

  groupsByDocument(
    offsets: Ptr,
    docIds: Ptr,
    groupCount: number,
    firstDoc: number,
    docCount: number,
  ): GroupsByDocument {
    const entryCount = this.loadU32(offsets + groupCount * 4) - this.loadU32(offsets);
    const byteCount = (docCount + 1 + entryCount) * 4;
    const ptr = this.allocate(byteCount);
    const groups = ptr + (docCount + 1) * 4;
    this.#exports['groupsByDocument']!(offsets, docIds, groupCount, firstDoc, docCount, ptr, groups);
    return { ptr, byteCount, groupCount, firstDoc, docCount };
  }

  countByDocument(bitmap: Ptr, turned: GroupsByDocument): readonly [groups: Uint32Array, counts: Uint32Array] {
    const { ptr, groupCount, firstDoc, docCount } = turned;
    const mark = this.#memory.mark();
    const countsAt = this.#memory.scratch(groupCount * 4);
    const found = this.#memory.scratch(groupCount * 4);
    const counts = this.#memory.u32.subarray(countsAt >>> 2, (countsAt >>> 2) + groupCount).fill(0);
    const groupsAt = ptr + (docCount + 1) * 4;
    const length = this.#exports['countByDocument']!(bitmap, ptr, groupsAt, firstDoc, docCount, countsAt, found);
    const groups = this.readU32(found, length).sort();
    const present = groups.map((group) => counts[group]!);
    this.#memory.release(mark);
    return [groups, present];
  }

  nextGroup(bitmap: Ptr, offsets: Ptr, docIds: Ptr, groupCount: number, from: number, step: 1 | -1): number {
    const start = step === 1 ? Math.max(from, 0) : Math.min(from, groupCount - 1);
    return this.#exports['nextGroup']!(bitmap, offsets, docIds, groupCount, start, step);
  }

  #meet(a: LivePostings, b: LivePostings, within: Ptr, kind: number, near1: Ptr, near2: Ptr, near3: Ptr): void {
    const [left, right] = [a.placed ?? 0, b.placed ?? 0];
    const exports = this.#exports;
    if (left !== 0 && b.words) this.#meetWords(b, b.words, a, left, 1, [within, kind, near1, near2, near3]);
    else if (right !== 0 && a.words) this.#meetWords(a, a.words, b, right, 0, [within, kind, near1, near2, near3]);
    else if (left !== 0 && right !== 0)
      exports['nearPlaced']!(left, a.dead, right, b.dead, within, kind, near1, near2, near3);
    else if (left !== 0) exports['nearHalfPlaced']!(b.ptr, b.dead, left, a.dead, 1, within, kind, near1, near2, near3);
    else if (right !== 0)
      exports['nearHalfPlaced']!(a.ptr, a.dead, right, b.dead, 0, within, kind, near1, near2, near3);
    else exports['nearLists']!(a.ptr, a.dead, b.ptr, b.dead, within, kind, near1, near2, near3);
  }

  #meetWords(
    { dead }: LivePostings,
    addresses: Uint32Array,
    other: LivePostings,
    placed: Ptr,
    isLeft: 0 | 1,
    rest: readonly number[],
  ): void {
    const mark = this.#memory.mark();
    const lists = this.#writeAddresses(addresses);
    this.#exports['nearWordsPlaced']!(lists, addresses.length, dead, placed, other.dead, isLeft, ...rest);
    this.#memory.release(mark);
  }

  /** Room for a placed list of the documents. */
  #newPlaced(docs: Ptr, docCount: number, endCount: number): MadeList {
    const byteCount = PLACED_HEADER_BYTES + this.bitCapacity(docs) / 16 + (docCount + endCount) * 4;
    return { ptr: this.allocate(byteCount), byteCount };
  }

  #writePairs(lists: readonly LivePostings[]): Ptr {
    const pairs = this.#memory.scratch(lists.length * LIST_PAIR_BYTES);
    const { u32 } = this.#memory;
    let at = pairs >>> 2;
    for (const list of lists) {
      u32[at++] = list.ptr;
      u32[at++] = list.dead;
    }
    return pairs;
  }
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ColumnHost } from './column-host.js';
import { HostCalls } from './host-calls.js';
import { WasmInverter } from './inverter.js';
import type { Inverter } from './inverter-port.js';
import { type KernelExports, MemoryView } from './memory.js';
import type { Kernel, KeyedGroups } from './port.js';
import { type Block, type F64Array, type Mark, type Ptr, type U32Array, u32ArrayIn } from './ptr.js';
import { VectorGraph, type VectorKind, VectorSet } from './vector-host.js';
import { WindowWriter } from './window-writer.js';

export interface KernelOptions {
  /** `checked` traps on broken contracts; default `fast`. */
  readonly build?: 'fast' | 'checked';
}

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
  const calls = new HostCalls();
  const instance = new WebAssembly.Instance(module, { host: calls.host });
  // The boundary: the type is the compiler's own description of what it made.
  const exports = instance.exports as unknown as KernelExports;
  return new WasmKernel(exports, new MemoryView(exports, exports.memory), calls);
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

/** The port over a compiled kernel: every method is a call or a few; those of dictionaries, bitmaps, lists and columns come from hosts of their own. */
class WasmKernel extends ColumnHost implements Kernel {
  readonly #calls: HostCalls;

  constructor(exports: KernelExports, memory: MemoryView, calls: HostCalls) {
    super(exports, memory);
    this.#calls = calls;
  }

  reset(): void {
    this.exports.heapReset();
  }

  limitMemory(byteCount: number): void {
    this.exports.limitMemory(Math.min(byteCount, 0xffff_ffff));
  }

  get onShortage(): ((byteCount: number) => boolean) | null {
    return this.#calls.onShortage;
  }

  set onShortage(relieve: ((byteCount: number) => boolean) | null) {
    this.#calls.onShortage = relieve;
  }

  get onPause(): (() => void) | null {
    return this.#calls.onPause;
  }

  set onPause(look: (() => void) | null) {
    this.#calls.onPause = look;
  }

  allocate(byteCount: number): Block {
    return this.memory.alloc(byteCount) as Block;
  }

  free(made: Ptr): void {
    this.memory.free(made);
  }

  mark(): Mark {
    return this.memory.mark() as Mark;
  }

  release(mark: Mark): void {
    this.memory.release(mark);
  }

  scratch(byteCount: number): Block {
    return this.memory.scratch(byteCount) as Block;
  }

  write(block: Block, bytes: Uint8Array, at = 0): void {
    this.memory.u8.set(bytes, block + at);
  }

  read(block: Block, byteCount: number, at = 0): Uint8Array<ArrayBuffer> {
    return this.memory.u8.slice(block + at, block + at + byteCount);
  }

  scratchBytes(bytes: Uint8Array): Block {
    const block = this.scratch(bytes.length);
    this.write(block, bytes);
    return block;
  }

  scratchU32(numbers: ArrayLike<number>): U32Array {
    const made = this.memory.scratch(numbers.length * 4) as U32Array;
    this.writeU32(made, numbers);
    return made;
  }

  residentU32(numbers: ArrayLike<number>): U32Array {
    const made = this.memory.alloc(Math.max(4, numbers.length * 4)) as U32Array;
    this.writeU32(made, numbers);
    return made;
  }

  writeU32(target: U32Array, numbers: ArrayLike<number>): void {
    this.memory.u32.set(numbers, target >>> 2);
  }

  u32At(numbers: U32Array, at: number): number {
    return this.memory.u32[(numbers >>> 2) + at]!;
  }

  u32s(numbers: U32Array, from: number, count: number): Uint32Array<ArrayBuffer> {
    const start = (numbers >>> 2) + from;
    return this.memory.u32.slice(start, start + count);
  }

  f64At(numbers: F64Array, at: number): number {
    return this.memory.f64[numbers / 8 + at]!;
  }

  f64s(numbers: F64Array, count: number): Float64Array<ArrayBuffer> {
    return this.memory.f64.slice(numbers / 8, numbers / 8 + count);
  }

  get allocatedBytes(): number {
    return this.exports.heapUsedBytes() >>> 0;
  }

  get memoryBytes(): number {
    return this.memory.u8.length;
  }

  createVectorSet(kind: VectorKind, dimCount: number, capacity: number): VectorSet {
    return new VectorSet(this.exports, this.memory, kind, dimCount, capacity);
  }

  createVectorGraph(set: VectorSet, nodeCount: number, upperCount?: number): VectorGraph {
    return new VectorGraph(this.exports, this.memory, set, upperCount ?? this.drawnUpperCount(0, nodeCount));
  }

  drawnUpperCount(from: number, to: number): number {
    return this.exports.graphUpperCount(from, to) >>> 0;
  }

  createWindowWriter(firstDoc: number, lastDoc: number, fieldCount: number): WindowWriter {
    return new WindowWriter(this.exports, this.memory, firstDoc, lastDoc, fieldCount);
  }

  createInverter(): Inverter {
    return new WasmInverter(this.exports, this.memory);
  }

  sumVarints(bytes: Uint8Array): Uint32Array {
    const mark = this.mark();
    const [from, count] = this.#writeVarints(bytes);
    const out = this.#scratchU32(count + 1);
    this.exports.sumVarints(from, bytes.length, out);
    const sums = this.u32s(out, 0, count + 1);
    this.release(mark);
    return sums;
  }

  readGroups(bytes: Uint8Array): KeyedGroups {
    const mark = this.mark();
    const [from, count] = this.#writeVarints(bytes);
    // A group takes two numbers beside its docids, so keys and offsets never need more room than numbers are left for them.
    const block = this.allocate((count + 1) * 4);
    const [keys, places, docs] = [this.#scratchU32(count), this.#scratchU32(count + 1), this.#scratchU32(count)];
    const groupCount = this.exports.readGroups(from, bytes.length, keys, places, docs) >>> 0;
    const found = this.u32s(keys, 0, groupCount);
    const offsets = u32ArrayIn(block, 0);
    const docIds = u32ArrayIn(block, (groupCount + 1) * 4);
    this.writeU32(offsets, this.u32s(places, 0, groupCount + 1));
    this.writeU32(docIds, this.u32s(docs, 0, count - 2 * groupCount));
    this.release(mark);
    return { keys: found, offsets, docIds };
  }

  #writeVarints(bytes: Uint8Array): readonly [from: Block, count: number] {
    const from = this.scratchBytes(bytes);
    return [from, this.exports.countVarints(from, bytes.length) >>> 0];
  }

  #scratchU32(length: number): U32Array {
    return this.memory.scratch(length * 4) as U32Array;
  }
}

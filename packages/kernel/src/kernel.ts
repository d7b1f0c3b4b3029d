import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ColumnHost } from './column-host.js';
import { HostCalls } from './host-calls.js';
import { WasmInverter } from './inverter.js';
import type { Inverter } from './inverter-port.js';
import { type KernelExports, MemoryView } from './memory.js';
import type { Kernel, KeyedGroups } from './port.js';
import type { Ptr } from './ptr.js';
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
  readonly #exports: KernelExports;
  readonly #memory: MemoryView;
  readonly #calls: HostCalls;

  constructor(exports: KernelExports, memory: MemoryView, calls: HostCalls) {
    super(exports, memory);
    this.#exports = exports;
    this.#memory = memory;
    this.#calls = calls;
  }

  reset(): void {
    this.#exports.heapReset();
  }

  limitMemory(byteCount: number): void {
    this.#exports.limitMemory(Math.min(byteCount, 0xffff_ffff));
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

  loadF64(ptr: Ptr): number {
    return this.#memory.f64[ptr / 8]!;
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
    return this.#exports.heapUsedBytes() >>> 0;
  }

  get memoryBytes(): number {
    return this.#memory.u8.length;
  }

  createVectorSet(kind: VectorKind, dimCount: number, capacity: number): VectorSet {
    return new VectorSet(this.#exports, this.#memory, kind, dimCount, capacity);
  }

  createVectorGraph(set: VectorSet, nodeCount: number, upperCount?: number): VectorGraph {
    return new VectorGraph(this.#exports, this.#memory, set, upperCount ?? this.drawnUpperCount(0, nodeCount));
  }

  drawnUpperCount(from: number, to: number): number {
    return this.#exports.graphUpperCount(from, to) >>> 0;
  }

  createWindowWriter(firstDoc: number, lastDoc: number, fieldCount: number): WindowWriter {
    return new WindowWriter(this.#exports, this.#memory, firstDoc, lastDoc, fieldCount);
  }

  createInverter(): Inverter {
    return new WasmInverter(this.#exports, this.#memory);
  }

  sumVarints(bytes: Uint8Array): Uint32Array {
    const mark = this.#memory.mark();
    const [from, count] = this.#writeVarints(bytes);
    const out = this.#memory.scratch((count + 1) * 4);
    this.#exports.sumVarints(from, bytes.length, out);
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
    const groupCount = this.#exports.readGroups(from, bytes.length, keys, places, docIds) >>> 0;
    const found = this.readU32(keys, groupCount);
    this.writeU32(offsets, this.readU32(places, groupCount + 1));
    this.writeU32(offsets + (groupCount + 1) * 4, this.readU32(docIds, count - 2 * groupCount));
    this.#memory.release(mark);
    return { keys: found, offsets, docIds: offsets + (groupCount + 1) * 4 };
  }

  #writeVarints(bytes: Uint8Array): readonly [from: Ptr, count: number] {
    const from = this.#memory.scratch(bytes.length);
    this.write(from, bytes);
    return [from, this.#exports.countVarints(from, bytes.length) >>> 0];
  }
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BitmapPools } from './bitmap-pools.js';
import { Bitmaps } from './bitmaps.js';
import { Columns } from './columns.js';
import { Dictionaries } from './dictionaries.js';
import { HostCalls } from './host-calls.js';
import type { KernelExports } from './kernel-exports.js';
import { Lists } from './lists.js';
import { MaskedLists } from './masked-lists.js';
import { Memory } from './memory.js';
import { MemoryView } from './memory-view.js';
import { PathPlans } from './path-plans.js';
import type { Kernel } from './port.js';
import { PositionTables } from './position-tables.js';
import { Texts } from './texts.js';
import { Varints } from './varints.js';
import { Vectors } from './vectors.js';
import { Windows } from './windows.js';
import { WordLists } from './word-lists.js';

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
  const instance: { readonly exports: object } = new WebAssembly.Instance(module, { host: calls.host });
  // The boundary: the type is generated from the compiler's own description of its output.
  const exports = instance.exports as KernelExports;
  return new WasmKernel(exports, calls);
}

/** The wasm is in build/, a sibling of both src/ and dist/. */
function readWasm(build: 'fast' | 'checked'): Uint8Array<ArrayBuffer> {
  const path = fileURLToPath(new URL(`../build/kernel.${build}.wasm`, import.meta.url));
  try {
    return new Uint8Array(readFileSync(path));
  } catch (cause) {
    throw new Error(`${path} is missing: run npm run build in packages/foundation/kernel first`, { cause });
  }
}

/** The port over a compiled kernel: a part for each kind of object, all on the same memory. */
class WasmKernel implements Kernel {
  readonly memory: Memory;
  readonly bitmaps: Bitmaps;
  readonly windows: Windows;
  readonly pools: BitmapPools;
  readonly lists: Lists;
  readonly wordLists: WordLists;
  readonly maskedLists: MaskedLists;
  readonly tables: PositionTables;
  readonly dictionaries: Dictionaries;
  readonly columns: Columns;
  readonly texts: Texts;
  readonly varints: Varints;
  readonly paths: PathPlans;
  readonly vectors: Vectors;
  private readonly calls: HostCalls;

  constructor(exports: KernelExports, calls: HostCalls) {
    const view = new MemoryView(exports, exports.memory);
    this.calls = calls;
    this.memory = new Memory(exports, view);
    this.bitmaps = new Bitmaps(exports, view);
    this.windows = new Windows(exports, view);
    this.pools = new BitmapPools(exports);
    this.lists = new Lists(exports, view);
    this.wordLists = new WordLists(exports, view, this.lists);
    this.maskedLists = new MaskedLists(exports, view, this.bitmaps);
    this.tables = new PositionTables(exports, view);
    this.dictionaries = new Dictionaries(exports, view);
    this.columns = new Columns(exports, view);
    this.texts = new Texts(exports, view);
    this.varints = new Varints(exports, this.memory);
    this.paths = new PathPlans(exports, view, this.bitmaps);
    this.vectors = new Vectors(exports, view);
  }

  get onShortage(): ((byteCount: number) => boolean) | null {
    return this.calls.onShortage;
  }

  set onShortage(relieve: ((byteCount: number) => boolean) | null) {
    this.calls.onShortage = relieve;
  }

  get onPause(): (() => void) | null {
    return this.calls.onPause;
  }

  set onPause(look: (() => void) | null) {
    this.calls.onPause = look;
  }
}

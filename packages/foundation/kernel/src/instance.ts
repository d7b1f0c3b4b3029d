/** Instances of the compiled kernel, each with its own memory, made by AssemblyScript's loader. */

import { instantiateSync } from '@assemblyscript/loader';
import { requiredBuiltIn } from '@fossick/base';
import { KernelMemoryError } from './fault.js';
import type { KernelExports } from './kernel-exports.js';
import type { SharedKernel } from './shared/shared-memory.js';

/** For a memory that threads share; `sharedChecked` traps on broken contracts. */
export type SharedBuild = 'shared' | 'sharedChecked';
/** `checked` traps on broken contracts. */
export type KernelBuild = 'fast' | 'checked' | SharedBuild;

const compiled = new Map<KernelBuild, WebAssembly.Module>();

/** The kernel, compiled or not. */
export type KernelSource = WebAssembly.Module | Uint8Array<ArrayBuffer> | ArrayBuffer;

/**
 * Gives this thread the kernel, where there is no file system to read it from: before the first kernel is made.
 * @throws WebAssembly.CompileError
 */
export async function giveKernel(source: KernelSource): Promise<void> {
  compiled.set('fast', source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source));
}

/**
 * The exports of a new instance. The module is compiled once per thread and build.
 * The loader's own exports wrap each function to set the count of its arguments, which costs a call and an array each
 * time and which the kernel does not need: these are the functions of the instance itself.
 */
export function instantiateKernel(build: 'fast' | 'checked', calls: HostCalls): KernelExports {
  return instanceOf(build, { host: calls.host });
}

/** The exports of an instance for a thread that shares a memory. What an earlier thread of its number had for itself is freed. */
export function instantiateShared(
  { memory, thread }: SharedKernel,
  calls: HostCalls,
  build: SharedBuild,
): KernelExports {
  const exports = instanceOf(build, { host: { ...calls.host, threadNumber: thread }, env: { memory } });
  exports.heapFreeOwned(thread);
  return exports;
}

function instanceOf(build: KernelBuild, imports: Record<string, Record<string, unknown>>): KernelExports {
  let module = compiled.get(build);
  if (module === undefined) {
    module = new WebAssembly.Module(readWasm(build));
    compiled.set(build, module);
  }
  const instance: { readonly exports: object } = instantiateSync(module, imports).instance;
  // The boundary: the type is made of the compiler's own description of its output.
  return instance.exports as KernelExports;
}

/** The wasm is in build/, a sibling of both src/ and dist/. */
function readWasm(build: KernelBuild): Uint8Array<ArrayBuffer> {
  const path = new URL(`../build/kernel.${build}.wasm`, import.meta.url);
  try {
    return new Uint8Array(requiredBuiltIn('node:fs').readFileSync(path));
  } catch (cause) {
    throw new Error(`${path.pathname} is missing: run npm run build in packages/foundation/kernel first`, { cause });
  }
}

/** The imports of the compiled kernel: host functions that it calls during its own calls. */
export class HostCalls {
  /** See the port. */
  onShortage: ((byteCount: number) => boolean) | null = null;
  onPause: (() => void) | null = null;

  /** As the kernel's imports. */
  readonly host = {
    reclaim: (byteCount: number): void => {
      if (this.onShortage?.(byteCount >>> 0) !== true) throw new KernelMemoryError(byteCount >>> 0);
    },
    pause: (): void => this.onPause?.(),
  };
}

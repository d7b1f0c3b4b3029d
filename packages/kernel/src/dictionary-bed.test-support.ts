import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { DictionaryHost, type DictionaryMemory } from './dictionary.js';
import type { KernelExports } from './memory.js';

const baseDir = fileURLToPath(new URL('../assembly/', import.meta.url));

/** The dictionary part alone, compiled as build.mjs compiles the kernel. */
export async function compileDictionary(flags: readonly string[]): Promise<Uint8Array> {
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    ['dictionary.ts', '--baseDir', baseDir, '--runtime', 'stub', '--use', 'abort=', '--outFile', 'out.wasm', ...flags],
    {
      writeFile: (_name: string, contents: Uint8Array | string) => {
        binary = contents as Uint8Array;
      },
    },
  );
  if (error || binary === undefined) throw new Error(`not compiled: ${stderr.toString()}`);
  return binary;
}

/** Dictionaries laid out one after another, unaligned, in a memory without allocator. */
export class Bed {
  readonly host: DictionaryHost;
  private readonly view: DictionaryMemory;
  private top = 1 << 16;

  constructor(binary: Uint8Array) {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary as Uint8Array<ArrayBuffer>));
    const memory = exports['memory'] as WebAssembly.Memory;
    memory.grow(256);
    this.view = {
      u8: new Uint8Array(memory.buffer),
      u32: new Uint32Array(memory.buffer),
      mark: () => this.top,
      scratch: (byteCount) => {
        const ptr = (this.top + 15) & ~15;
        this.top = ptr + byteCount;
        return ptr;
      },
      release: (mark) => {
        this.top = mark;
      },
    };
    this.host = new DictionaryHost(exports as KernelExports, this.view);
  }

  load(bytes: Uint8Array): number {
    const ptr = this.top;
    this.view.u8.set(bytes, ptr);
    this.top = ptr + bytes.length + 1;
    return ptr;
  }

  forget(): void {
    this.view.u8.fill(0xaa, 1 << 16, this.top);
    this.top = 1 << 16;
  }
}

/** Mulberry32: the same numbers on every run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

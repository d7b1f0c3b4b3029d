import { createKernel, type Kernel, type KernelOptions } from '../kernel.js';
import type { Dictionary } from '../ptr.js';

/** A kernel with dictionaries at any address, as inside of larger blocks. */
export class Bed {
  readonly kernel: Kernel;

  constructor(build: NonNullable<KernelOptions['build']>) {
    this.kernel = createKernel({ build });
  }

  /** Loads a dictionary at an odd address. */
  load(bytes: Uint8Array): Dictionary {
    const block = this.kernel.memory.allocate(bytes.length + 1);
    this.kernel.memory.write(block, bytes, 1);
    return (block + 1) as Dictionary;
  }

  forget(): void {
    this.kernel.memory.reset();
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

import { KernelMemoryError } from './fault.js';

/** The imports of the compiled kernel: host functions that it calls during its own calls. */
export class HostCalls {
  /** See the port. */
  onShortage: ((byteCount: number) => boolean) | null = null;
  onPause: (() => void) | null = null;

  /** As the kernel's imports. */
  readonly host = {
    relieve: (byteCount: number): void => {
      if (this.onShortage?.(byteCount >>> 0) !== true) throw new KernelMemoryError(byteCount >>> 0);
    },
    pause: (): void => this.onPause?.(),
  };
}

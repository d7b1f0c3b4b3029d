import { KernelMemoryError } from './fault.js';

/** What the compiled kernel calls in the middle of its own calls. */
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

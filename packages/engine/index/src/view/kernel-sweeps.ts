import { collectGarbage } from '@fossick/base';

/** When the memory of a kernel that was replaced is given back at the latest, in milliseconds. */
const SWEPT_WITHIN_MS = 100;

/** Gives the memory of kernels back that nothing refers to any more. V8 does not see how large it is. */
export class KernelSweeps {
  private timer: (ReturnType<typeof setTimeout> & { unref?: () => void }) | undefined;

  /** Collects garbage now, and once more a little later, which frees what the first time found to be garbage. */
  begin(): void {
    collectGarbage();
    clearTimeout(this.timer);
    this.timer = setTimeout(collectGarbage, SWEPT_WITHIN_MS);
    this.timer.unref?.();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

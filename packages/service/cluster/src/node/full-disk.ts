import type { MonotonicClock } from '@fossick/replication';

/** Between two attempts, in milliseconds: twice as long each time. */
const [RETRY_MS, RETRY_MS_MAX] = [250, 5_000] as const;
/**
 * Errors of the disk by the names and numbers of the system: LMDB passes the number or the words. A store is unavailable
 * after a failed write of its head, until all threads have opened it again.
 */
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 28, 122, 5, 'store_unavailable']);
const WORDS = /no space left on device|disk quota exceeded|input\/output error/i;

export interface FullDiskOptions {
  readonly clock: Pick<MonotonicClock, 'after'>;
  readonly isEnding: () => boolean;
  /** The disk takes nothing since now, with the reason; or it takes everything again, with null. */
  readonly onChange: (reason: string | null) => void;
}

/**
 * Work that may be done any number of times is repeated while the disk takes nothing: it has space again when somebody
 * has made room.
 */
export class FullDisk {
  private readonly options: FullDiskOptions;
  /** Why the disk takes nothing; null while it does. */
  reason: string | null = null;

  constructor(options: FullDiskOptions) {
    this.options = options;
  }

  /** Rejects with the errors of the work that are not of the disk, and with that of the disk when the node ends. */
  async outlived<T>(work: () => Promise<T>): Promise<T> {
    for (let delayMs: number = RETRY_MS; ; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
      try {
        const value = await work();
        this.become(null);
        return value;
      } catch (error) {
        if (!isOfDisk(error) || this.options.isEnding()) throw error;
        this.become(error instanceof Error ? error.message : String(error));
      }
      await new Promise<void>((resolve) => void this.options.clock.after(delayMs, resolve));
    }
  }

  private become(reason: string | null): void {
    const isChange = (reason === null) !== (this.reason === null);
    this.reason = reason;
    if (isChange) this.options.onChange(reason);
  }
}

export function isOfDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && CODES.has(error.code)) || WORDS.test(error.message);
}

import type { MonotonicClock } from '@fossick/replication';
import type { LogReserve } from '@fossick/tasks';

/** Between two attempts, in milliseconds: twice as long each time. */
const [RETRY_MS, RETRY_MS_MAX] = [250, 5_000] as const;
/** Longer than it takes until another node leads, in milliseconds. */
const YIELD_MS = 10_000;
/** Tasks that are remembered because their work has failed. */
const FAILED_MAX = 100_000;
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
  /** Space that the work gets before the disk counts as full, and that is taken again once there is more. */
  readonly reserve?: LogReserve;
  /** Work has failed, and what waits for it waits on. */
  readonly onStuck?: () => void;
  /** Writes something; throws when the disk does not take it. */
  readonly probe: () => void;
}

/**
 * Work that may be done any number of times is repeated while the disk takes nothing: it has space again when somebody
 * has made room. Work of the writer goes to another node, which may have space.
 */
export class FullDisk {
  private readonly options: FullDiskOptions;
  /** Why the disk takes nothing; null while it does. */
  reason: string | null = null;
  /** Set while the node counts as full because work of its writer has failed. */
  private yielding: { readonly timer: Disposable; readonly resolve: (isTried: boolean) => void } | undefined;
  /** Uids of tasks whose work has failed here because of the disk. */
  private readonly failed = new Set<number>();
  private isReserveUsed = false;

  constructor(options: FullDiskOptions) {
    this.options = options;
  }

  /** Rejects with the errors of the work that are not of the disk, and with that of the disk when the node ends. */
  async outlived<T>(work: () => Promise<T>): Promise<T> {
    for (let delayMs: number = RETRY_MS; ; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
      try {
        const value = await work();
        if (this.isReserveUsed) this.isReserveUsed = this.options.reserve?.restore() === false;
        if (this.yielding === undefined) this.become(null);
        return value;
      } catch (error) {
        if (!isOfDisk(error) || this.options.isEnding()) throw error;
        if (this.options.reserve?.release() === true) {
          this.isReserveUsed = true;
          continue;
        }
        this.become(error instanceof Error ? error.message : String(error));
        this.options.onStuck?.();
      }
      await new Promise<void>((resolve) => void this.options.clock.after(delayMs, resolve));
    }
  }

  /**
   * The disk did not take what the writer wrote for these tasks. True when another node should run them: this one counts
   * as full for ten seconds, so that another one leads, and then it is answered. False when all of them have failed here
   * before: no node that leads in between had space for them.
   */
  async yieldsWork(uids: readonly number[], reason: string): Promise<boolean> {
    if (uids.every((uid) => this.failed.delete(uid))) return false;
    if (this.failed.size > FAILED_MAX) this.failed.clear();
    for (const uid of uids) this.failed.add(uid);
    this.become(reason);
    this.endYield();
    return new Promise((resolve) => {
      const timer = this.options.clock.after(YIELD_MS, () => {
        this.endYield();
        this.outlived(async () => this.options.probe()).catch(() => undefined);
      });
      this.yielding = { timer, resolve };
    });
  }

  /** Answers a running `yieldsWork`. */
  endYield(): void {
    this.yielding?.timer[Symbol.dispose]();
    this.yielding?.resolve(true);
    this.yielding = undefined;
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

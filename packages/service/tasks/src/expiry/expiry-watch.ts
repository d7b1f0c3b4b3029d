import type { TaskGateway } from '../log/port.js';
import type { TaskLog } from '../log/task-log.js';
import type { DocumentDeletion } from '../task/content.js';

/** Milliseconds between two looks: a document is deleted within a minute of its expiry, unless other tasks wait. */
const LOOK_MS = 20_000;
/** Milliseconds of one slice of a look. */
const SLICE_MS = 5;

/** The pause between two looks; `FOSSICK_TEST_EXPIRY_LOOK_MS` shortens it for tests. */
export function expiryLookMs(env: NodeJS.ProcessEnv): number {
  return Number(env['FOSSICK_TEST_EXPIRY_LOOK_MS'] ?? LOOK_MS);
}

export interface ExpiryWatchOptions {
  readonly log: TaskLog;
  readonly gateway: Pick<TaskGateway, 'enqueue'>;
  /** As the engine writer's: the uid of an index in which documents have expired, or null, for each index. */
  readonly expiriesDue: (nowMs: number) => Iterator<string | null>;
  /** Whether a batch runs: then the look waits. */
  readonly isBusy: () => boolean;
  /** Called when a task was registered. */
  readonly onTask: () => void;
  readonly onFault: (error: unknown) => void;
  readonly lookMs?: number;
}

/** Registers the deletion of expired documents. Only in the thread that runs tasks, so that of several nodes one does it. */
export class ExpiryWatch {
  private readonly options: ExpiryWatchOptions;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(options: ExpiryWatchOptions) {
    this.options = options;
    this.wait();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private wait(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.look(), this.options.lookMs ?? LOOK_MS).unref();
  }

  /** One look at all indexes. */
  private async look(): Promise<void> {
    try {
      const nowMs = Date.now();
      for (const uid of await this.dueIndexes(nowMs)) await this.register(uid, nowMs);
    } catch (error) {
      this.options.onFault(error);
    }
    this.wait();
  }

  private async dueIndexes(nowMs: number): Promise<readonly string[]> {
    const due: string[] = [];
    const indexes = this.options.expiriesDue(nowMs);
    for (let sinceMs = performance.now(); !this.isStopped && !this.options.isBusy(); ) {
      const { done, value } = indexes.next();
      if (done === true) break;
      if (value !== null) due.push(value);
      if (performance.now() - sinceMs < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sinceMs = performance.now();
    }
    return due;
  }

  private async register(indexUid: string, untilMs: number): Promise<void> {
    if (this.isStopped || this.isWaiting(indexUid)) return;
    const content: DocumentDeletion = { type: 'documentDeletion', indexUid, target: { by: 'expiry', untilMs } };
    const [result] = await this.options.gateway.enqueue([{ content, extras: {} }]);
    if (result?.status === 'rejected') throw result.reason;
    this.options.onTask();
  }

  /** Whether such a task waits already. */
  private isWaiting(indexUid: string): boolean {
    const filters = { statuses: ['enqueued', 'processing'] as const, types: ['documentDeletion'] as const };
    for (const { content } of this.options.log.tasks({ ...filters, indexUids: [indexUid] }))
      if (content.type === 'documentDeletion' && content.target.by === 'expiry') return true;
    return false;
  }
}

import type { TaskType } from '@fossick/api';
import type { Task } from '../task/task.js';

/** A batch that takes no longer than this, in milliseconds, is never shown as running. */
const UNSEEN_MS = 20;

/** Types whose work is often shorter than that and never reads the log. */
const OFTEN_SHORT: ReadonlySet<TaskType> = new Set<TaskType>([
  'documentAdditionOrUpdate',
  'documentDeletion',
  'documentEdition',
  'settingsUpdate',
  'indexCreation',
  'indexUpdate',
  'indexDeletion',
  'indexSwap',
]);

export function isOftenShort({ content }: Task): boolean {
  return OFTEN_SHORT.has(content.type);
}

/**
 * Writes to the log that a batch is running. That costs a small update a flush of its own and is outdated when read, so
 * it is written only once the batch has run for a while; otherwise only the end of the batch is written.
 */
export class StartMark {
  private readonly writeMark: () => void;
  private readonly startedAt = performance.now();
  private isWritten = false;
  private isOver = false;

  constructor(writeMark: () => void) {
    this.writeMark = writeMark;
  }

  /**
   * Whether the batch should be visible to others now; once it is, whether its progress should be reported. `nowMs`: of
   * performance.now().
   */
  isDueAt(nowMs: number): boolean {
    return this.isWritten || (!this.isOver && nowMs - this.startedAt >= UNSEEN_MS);
  }

  /** The work is done: the result, which is about to be written, replaces the mark. */
  end(): void {
    this.isOver = true;
  }

  /** Writes the mark, once. */
  write(): void {
    if (this.isWritten) return;
    this.isWritten = true;
    this.writeMark();
  }
}

import type { TaskType } from '../task/content.js';
import type { Task } from '../task/task.js';

/** A batch that takes no longer, in milliseconds, is never seen running: it waits, and then it is done. */
const UNSEEN_MS = 20;

/** Types whose work is often over in less, and never looks into the log. */
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
 * The mark in the log that a batch runs. It costs a small update a flush of its own and tells what is over when
 * somebody reads it, so it is written only once the batch has run for a while; the end of the batch says the rest.
 */
export class StartMark {
  private readonly writeMark: () => void;
  private readonly startedAt = performance.now();
  private isWritten = false;
  private isOver = false;

  constructor(writeMark: () => void) {
    this.writeMark = writeMark;
  }

  /** Whether others shall know of the batch; once they do, whether anything is to be told of it. `nowMs`: of performance.now(). */
  isDueAt(nowMs: number): boolean {
    return this.isWritten || (!this.isOver && nowMs - this.startedAt >= UNSEEN_MS);
  }

  /** The work is done: its end is about to be written, which says all that the mark would. */
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

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatByteSize } from '@fossick/api';
import { apiError, faultPoint } from '@fossick/base';
import { renameDurably, type Store } from '@fossick/storage';
import type { TaskGateway } from '@fossick/tasks';

const COMPACTED = 'tasks.compacted';
const UNFINISHED = 'tasks.compacting';

/** Replaces the task store by its compacted copy, before either is opened. An unfinished copy is removed. */
export function adoptCompactedQueue(dbPath: string, taskFolder: string): void {
  rmSync(join(dbPath, UNFINISHED), { recursive: true, force: true });
  const compacted = join(dbPath, COMPACTED);
  if (!existsSync(compacted)) return;
  // from here to the rename, a start after a crash finds the copy and continues
  rmSync(taskFolder, { recursive: true, force: true });
  faultPoint('copy.adopting', 'queue');
  renameDurably(compacted, taskFolder);
  faultPoint('copy.adopted', 'queue');
}

export interface QueueCompactionOptions {
  readonly dbPath: string;
  readonly gateway: Pick<TaskGateway, 'seal'>;
  readonly taskStore: Store;
  readonly writer: { stop(): Promise<void> };
}

/**
 * Rewrites the task store without its free pages. Open stores keep their file, so the copy replaces it at the next
 * start and nothing may be written until then.
 */
export class QueueCompaction {
  private readonly options: QueueCompactionOptions;
  private isRestartDue = false;

  constructor(options: QueueCompactionOptions) {
    this.options = options;
  }

  /** True once a compaction has begun: later writes would be lost. */
  get mustRestart(): boolean {
    return this.isRestartDue;
  }

  /** The answer of the route; after a failed copy the old store is used again after the restart. O(bytes) */
  async run(): Promise<{ readonly isDone: boolean; readonly answer: object }> {
    const { dbPath, gateway, taskStore, writer } = this.options;
    if (this.isRestartDue)
      return { isDone: false, answer: { status: 'failed', errorMessage: apiError('invalid_state').message } };
    try {
      gateway.seal();
      this.isRestartDue = true;
      await writer.stop();
      const preSize = formatByteSize(taskStore.size().diskBytes);
      const unfinished = join(dbPath, UNFINISHED);
      rmSync(unfinished, { recursive: true, force: true });
      await taskStore.copyTo(unfinished);
      faultPoint('copy.made', 'queue');
      renameDurably(unfinished, join(dbPath, COMPACTED));
      faultPoint('copy.named', 'queue');
      const postSize = formatByteSize(sizeOf(join(dbPath, COMPACTED)));
      const actionRequired = 'Restart the server: until then it accepts no writes.';
      return { isDone: true, answer: { preSize, postSize, status: 'succeeded', actionRequired } };
    } catch (error) {
      return { isDone: false, answer: { status: 'failed', errorMessage: (error as Error).message } };
    }
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

import { unlink } from 'node:fs/promises';
import type { Task } from '../task/task.js';

/** Removes the payload files of tasks. A file that stays costs disk, not truth: the next start sweeps it. */
export async function removePayloads(tasks: readonly Task[], onFault?: (error: unknown) => void): Promise<void> {
  for (const { content } of tasks) {
    if (content.type !== 'documentAdditionOrUpdate') continue;
    try {
      await unlink(content.payloadFile);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onFault?.(error);
    }
  }
}

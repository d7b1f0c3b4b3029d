import { unlink } from 'node:fs/promises';
import { payloadOf } from '../task/content.js';
import type { Task } from '../task/task.js';

/** Removes the payload files of tasks. A file that stays only wastes disk space: the next start removes it. */
export async function removePayloads(tasks: readonly Task[], onFault?: (error: unknown) => void): Promise<void> {
  for (const { content } of tasks) {
    const payload = payloadOf(content);
    if (payload === undefined) continue;
    try {
      await unlink(payload.payloadFile);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onFault?.(error);
    }
  }
}

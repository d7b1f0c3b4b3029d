import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isPlanted } from '@fossick/base';
import { checkIndexes } from '@fossick/index';
import { checkStore } from '@fossick/storage';
import { LaunchError } from '../configuration/launch-error.js';

/** Stores that every instance needs. */
const INSTANCE_STORES = ['auth', 'tasks', 'instance'] as const;

/**
 * Time that checking all pages and rows may add to a start: enough for some gigabytes in the system's cache, and for
 * much less on a slow disk.
 */
const LOOK_MS = 3_000;

/**
 * Checks the files of all stores by reading them, before any is opened: mapping a damaged file would end the process.
 * Returns lines for the terminal, about damaged indexes (requests for them are refused, all others are served) and
 * about stores that were repaired because an earlier release had compacted them. `isAfterDeath`: the last process with
 * the database ended unexpectedly. Throws LaunchError when a store is damaged that every request needs.
 */
export async function checkStores(dbPath: string, isAfterDeath: boolean): Promise<string[]> {
  const lines: string[] = [];
  const look = { untilMs: performance.now() + (isPlanted('store.look') ? 0 : LOOK_MS), isAfterDeath };
  for (const name of INSTANCE_STORES) {
    const folder = join(dbPath, name);
    try {
      if (checkStore(folder, look).isRepaired)
        lines.push(`the store ${folder} was compacted by an earlier release: it was written again`);
    } catch (error) {
      throw new LaunchError(`the store ${folder} cannot be opened: ${(error as Error).message}`, { cause: error });
    }
    rmSync(`${folder}.repaired`, { recursive: true, force: true });
  }
  for (const { uid, kind, reason } of await checkIndexes(dbPath, look)) {
    if (kind === 'repaired') lines.push(`the index \`${uid}\` was written again: ${reason}`);
    else if (kind === 'suspected') lines.push(`the index \`${uid}\` was looked at to its end and is whole: ${reason}`);
    else lines.push(`the index \`${uid}\` cannot be opened, all others are served: ${reason}`);
  }
  return lines;
}

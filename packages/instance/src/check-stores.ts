import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isPlanted } from '@fossick/base';
import { LaunchError } from '@fossick/configuration';
import { checkIndexes } from '@fossick/engine';
import { checkStore } from '@fossick/storage';

/** Stores without which there is no instance. */
const INSTANCE_STORES = ['auth', 'tasks', 'instance'] as const;

/** What looking at all pages and rows may add to a start: some gigabytes that the system has in memory, much less of a slow disk. */
const LOOK_MS = 3_000;

/**
 * Looks at the files of all stores before any is opened, by reading them: what cannot be mapped would end the process. Answers lines
 * for the terminal, of indexes that are damaged (requests for them are refused, all others are served) and of stores that were brought
 * into order because an earlier release had compacted them. `isAfterDeath`: whoever had the database last ended unexpectedly. Throws
 * LaunchError when a store is damaged that every request needs.
 */
export async function checkStores(dbPath: string, isAfterDeath: boolean): Promise<string[]> {
  const lines: string[] = [];
  const look = { untilMs: performance.now() + (isPlanted('store.look') ? 0 : LOOK_MS), isAfterDeath };
  for (const name of INSTANCE_STORES) {
    const folder = join(dbPath, name);
    try {
      if (checkStore(folder, look).isMended)
        lines.push(`the store ${folder} was compacted by an earlier release: it was written again`);
    } catch (error) {
      throw new LaunchError(`the store ${folder} cannot be opened: ${(error as Error).message}`, { cause: error });
    }
    rmSync(`${folder}.mended`, { recursive: true, force: true });
  }
  for (const { uid, kind, reason } of await checkIndexes(dbPath, look)) {
    if (kind === 'mended') lines.push(`the index \`${uid}\` was written again: ${reason}`);
    else if (kind === 'suspected') lines.push(`the index \`${uid}\` was looked at to its end and is whole: ${reason}`);
    else lines.push(`the index \`${uid}\` cannot be opened, all others are served: ${reason}`);
  }
  return lines;
}

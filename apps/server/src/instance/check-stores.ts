import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkIndexes } from '@fossick/engine';
import { mendStore } from '@fossick/storage';
import { LaunchError } from './launch-error.js';

/** Stores without which there is no instance. */
const INSTANCE_STORES = ['auth', 'tasks', 'instance'] as const;

/**
 * Looks at the files of all stores before any is opened, by reading them: what cannot be mapped would end the process. Answers lines
 * for the terminal, of indexes that are damaged (requests for them are refused, all others are served) and of stores that were brought
 * into order because an earlier release had compacted them. Throws LaunchError when a store is damaged that every request needs.
 */
export async function checkStores(dbPath: string): Promise<string[]> {
  const lines: string[] = [];
  for (const name of INSTANCE_STORES) {
    const folder = join(dbPath, name);
    try {
      if (mendStore(folder))
        lines.push(`the store ${folder} was compacted by an earlier release: it was written again`);
    } catch (error) {
      throw new LaunchError(`the store ${folder} cannot be opened: ${(error as Error).message}`, { cause: error });
    }
    rmSync(`${folder}.mended`, { recursive: true, force: true });
  }
  for (const { uid, kind, reason } of await checkIndexes(dbPath)) {
    if (kind === 'mended') lines.push(`the index \`${uid}\` was written again: ${reason}`);
    else lines.push(`the index \`${uid}\` cannot be opened, all others are served: ${reason}`);
  }
  return lines;
}

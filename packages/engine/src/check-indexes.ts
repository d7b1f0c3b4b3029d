import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore, type StoreLook } from '@fossick/storage';
import { Catalogue } from './open.js';

/** What `checkIndexes` found in the file of an index. */
export interface IndexFinding {
  readonly uid: string;
  /** `mended`: it was brought into order; `damaged`: `reason` says why it cannot be read; `suspected`: it is whole, though `reason`. */
  readonly kind: 'mended' | 'damaged' | 'suspected';
  readonly reason: string;
}

/**
 * Looks at the file of every index of a root folder, small ones first, before anybody opens them: at all of it until time is up, at its head
 * after that, and to the end of those that processes did not outlive (storage: checkStore). Those are brought into order that an earlier
 * release compacted (storage: mendStore).
 */
export async function checkIndexes(rootFolder: string, look: StoreLook): Promise<IndexFinding[]> {
  const findings: IndexFinding[] = [];
  if (!existsSync(join(rootFolder, 'instance'))) return findings;
  const catalogue = new Catalogue({ rootFolder });
  try {
    const files = [...catalogue.folders()].map(({ uid, folder }) => {
      const path = catalogue.path(folder);
      return { uid, path, bytes: statSync(join(path, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0 };
    });
    for (const { uid, path, bytes } of files.sort((a, b) => a.bytes - b.bytes)) {
      if (bytes === 0) {
        findings.push({ uid, kind: 'damaged', reason: 'its file is empty or missing' });
        continue;
      }
      try {
        const { isMended, suspectedFor } = checkStore(path, look);
        if (isMended) findings.push({ uid, kind: 'mended', reason: 'it was compacted by an earlier release' });
        const reason = `${suspectedFor} processes in a row ended unexpectedly while they had it open`;
        if (suspectedFor > 0) findings.push({ uid, kind: 'suspected', reason });
      } catch (error) {
        findings.push({ uid, kind: 'damaged', reason: (error as Error).message });
      }
    }
  } finally {
    await catalogue.close();
  }
  return findings;
}

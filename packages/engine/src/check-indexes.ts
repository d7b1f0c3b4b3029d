import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore } from '@fossick/storage';
import { Catalogue } from './open.js';

/** What `checkIndexes` found in the file of an index. */
export interface IndexFinding {
  readonly uid: string;
  /** `mended`: it was brought into order; `damaged`: `reason` says why it cannot be read. */
  readonly kind: 'mended' | 'damaged';
  readonly reason: string;
}

/**
 * Looks at the file of every index of a root folder, small ones first, before anybody opens them: at all of it until `untilMs` of
 * performance.now(), at its head after that. Those are brought into order that an earlier release compacted (storage: mendStore).
 */
export async function checkIndexes(rootFolder: string, untilMs: number): Promise<IndexFinding[]> {
  const findings: IndexFinding[] = [];
  if (!existsSync(join(rootFolder, 'instance'))) return findings;
  const catalogue = new Catalogue({ rootFolder });
  try {
    const files = [...catalogue.folders()].map(({ uid, folder }) => {
      const path = catalogue.path(folder);
      return { uid, path, bytes: statSync(join(path, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0 };
    });
    for (const { uid, path } of files.sort((a, b) => a.bytes - b.bytes)) {
      try {
        if (checkStore(path, untilMs).isMended)
          findings.push({ uid, kind: 'mended', reason: 'it was compacted by an earlier release' });
      } catch (error) {
        findings.push({ uid, kind: 'damaged', reason: (error as Error).message });
      }
    }
  } finally {
    await catalogue.close();
  }
  return findings;
}

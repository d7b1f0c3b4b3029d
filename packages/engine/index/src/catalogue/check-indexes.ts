import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore, type StoreCheckLimits, storeBytes, storeUse } from '@fossick/storage';
import { Catalogue } from './catalogue.js';

/** The finding of `checkIndexes` about the file of an index. */
export interface IndexFinding {
  /** Of the kind `unnamed`, the path of a folder. */
  readonly uid: string;
  /**
   * `repaired`: it was written again; `damaged`: it cannot be read, for `reason`; `suspected`: it is whole in spite of
   * `reason`; `unnamed`: a folder that no index has, and that is kept.
   */
  readonly kind: 'repaired' | 'damaged' | 'suspected' | 'unnamed';
  readonly reason: string;
}

/**
 * Checks the file of every index of a root folder, small ones first, before any is opened: completely until the time
 * limit, only its head after that, and always completely if processes ended while it was open (storage: checkStore).
 * Repairs files that an earlier release compacted (storage: repairStore).
 */
export async function checkIndexes(rootFolder: string, look: StoreCheckLimits): Promise<IndexFinding[]> {
  const findings: IndexFinding[] = [];
  if (!existsSync(join(rootFolder, 'instance'))) return findings;
  const catalogue = new Catalogue({ rootFolder });
  try {
    const files = [...catalogue.folders()].map(({ uid, folder }) => {
      const path = catalogue.path(folder);
      return { uid, path, bytes: storeBytes(path) ?? 0 };
    });
    for (const { uid, path, bytes } of files.sort((a, b) => a.bytes - b.bytes)) {
      if (bytes === 0 || storeUse(path) === 'unused') {
        const reason = bytes === 0 ? 'its file is empty or missing' : 'its file is an empty store';
        findings.push({ uid, kind: 'damaged', reason });
        continue;
      }
      try {
        const { isRepaired, suspectedFor } = checkStore(path, look);
        if (isRepaired) findings.push({ uid, kind: 'repaired', reason: 'it was compacted by an earlier release' });
        const reason = `${suspectedFor} processes in a row ended unexpectedly while they had it open`;
        if (suspectedFor > 0) findings.push({ uid, kind: 'suspected', reason });
      } catch (error) {
        findings.push({ uid, kind: 'damaged', reason: (error as Error).message });
      }
    }
    for (const path of catalogue.unknownFolders())
      findings.push({ uid: path, kind: 'unnamed', reason: 'it belongs to no index of this database' });
  } finally {
    await catalogue.close();
  }
  return findings;
}

import { Catalogue } from '../catalogue/catalogue.js';
import { type IndexCheckResult, verifyIndex } from './verify-index.js';

/**
 * Verifies every index of a root folder that is not open elsewhere, one after another in byte order of their names
 * (verifyIndex).
 */
export async function* verifyIndexes(
  rootFolder: string,
): AsyncGenerator<{ readonly uid: string; readonly verdict: IndexCheckResult }> {
  const catalogue = new Catalogue({ rootFolder });
  try {
    for (const { uid, folder } of [...catalogue.folders()]) yield { uid, verdict: verdictOn(catalogue, folder) };
  } finally {
    await catalogue.close();
  }
}

function verdictOn(catalogue: Catalogue, folder: string): IndexCheckResult {
  try {
    return verifyIndex(catalogue.store(folder));
  } catch (error) {
    const problems = [`it cannot be read: ${(error as Error).message}`];
    return { documentCount: 0, segmentCount: 0, wordCount: 0, problems };
  }
}

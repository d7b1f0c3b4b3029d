/** Static indexes for pages that tools write. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootFolder } from './workspace.mjs';

/** Writes documents as a static index, as a user does it: by the package, then by the command. Both must be built. */
export async function writeStaticIndex(uid, documents, settings, out) {
  const { createEngine } = await import('fossick');
  const path = mkdtempSync(join(tmpdir(), 'fossick-static-'));
  try {
    const engine = await createEngine({ path: join(path, 'data') });
    await engine.index(uid).updateSettings(settings);
    await engine.index(uid).add(documents);
    await engine.close();
    const args = ['export-static', uid, '--db-path', join(path, 'data'), '--out', out];
    execFileSync(process.execPath, [join(rootFolder, 'apps/server/bin/fossick.js'), ...args]);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

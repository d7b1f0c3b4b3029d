/**
 * The server that tests and recordings start as a process is the published bundle: that is what users run, and it starts in half the
 * time of the compiled files.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from './workspace.mjs';

const cacheFolder = join(rootFolder, 'node_modules', '.cache');

/**
 * Makes a bundle of the built packages, some seconds, which is there until this process ends: two runs of tests may work at the
 * same time. Returns the file of its command.
 */
export async function stageTestServer() {
  // the bundler is loaded only where it is needed
  const { stageBundle } = await import('../packages/stage-bundle.mjs');
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(cacheFolder, 'fossick-server-'));
  chmodSync(folder, 0o755); // a test starts it as another user
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await stageBundle('apps/server', folder, false);
  return join(folder, 'bin', 'fossick.js');
}

/** Figures depend on the machine and its load: every result includes these facts. */
import { execFileSync } from 'node:child_process';
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import { rootFolder } from '../../tools/run/workspace.mjs';

export function readMachineFacts() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    coreCount: cpus().length,
    memoryMiB: Math.round(totalmem() / 1048576),
    platform: `${platform()} ${arch()}`,
    node: process.version,
    load1: loadavg()[0],
    revision: readRevision(),
    date: new Date().toISOString(),
  };
}

function readRevision() {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: rootFolder, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/**
 * Brings a checkout into a state where things run: packages installed, everything built. Plain Node, no dependency,
 * because it runs before anything is installed.
 */
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the checkout. */
export const rootFolder = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Tools that phone home are told not to; nothing of a build leaves the machine. */
export const quietEnvironment = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  NPM_CONFIG_UPDATE_NOTIFIER: 'false',
};

/** Runs a command with our terminal and answers its exit code (1 when a signal ended it or it could not start). */
export function runCommand(command, args, { cwd = rootFolder, env = quietEnvironment } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** Installs the locked packages when there are none, or when the lock file changed since. Throws when npm fails. */
export async function ensureInstalled() {
  const installedMark = join(rootFolder, 'node_modules', '.package-lock.json');
  const lockFile = join(rootFolder, 'package-lock.json');
  const isFresh = existsSync(installedMark) && statSync(installedMark).mtimeMs >= statSync(lockFile).mtimeMs;
  if (isFresh) return;
  console.log('Installing packages (npm ci) ...');
  if ((await runCommand('npm', ['ci', '--no-audit', '--no-fund'])) !== 0) throw new Error('npm ci failed');
}

/** Builds every package in dependency order; a second run answers from turbo's local cache. Throws when it fails. */
export async function ensureBuilt() {
  const turbo = join(rootFolder, 'node_modules', '.bin', 'turbo');
  const args = ['run', 'build', '--output-logs=errors-only', '--no-update-notifier', '--cache=local:rw'];
  if ((await runCommand(turbo, args)) !== 0) throw new Error('the build failed');
}

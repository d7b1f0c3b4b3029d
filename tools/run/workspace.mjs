/**
 * Prepares a checkout: installs packages and builds everything. Plain Node without dependencies, because it runs before
 * anything is installed.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the checkout. */
export const rootFolder = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Folders that packages are in: those of `packages` are in a group each, but for the one that programs install. */
const PACKAGE_PARENTS = [
  ...['packages', 'packages/foundation', 'packages/engine', 'packages/service'],
  ...['packages/extensions', 'apps'],
];

/** The folders of all packages, published or not, relative to the root: `packages/foundation/base`. */
export function packageFolders() {
  return PACKAGE_PARENTS.flatMap((parent) =>
    readdirSync(join(rootFolder, parent)).map((name) => `${parent}/${name}`),
  ).filter((folder) => existsSync(join(rootFolder, folder, 'package.json')));
}

/** Disables telemetry of tools; nothing about a build leaves the machine. */
export const quietEnvironment = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  NPM_CONFIG_UPDATE_NOTIFIER: 'false',
};

/** The seed of all random tests of a run. It is fixed, so that two runs say the same. */
export const testSeed = process.env.FOSSICK_TEST_SEED ?? '20261128';

/** Runs a command, with our terminal unless `stdio` says otherwise (output of a pipe comes here, too), and returns its exit code (1 when a signal ended it or it could not start). */
export function runCommand(command, args, { cwd = rootFolder, env = quietEnvironment, stdio = 'inherit' } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio });
    child.stdout?.pipe(process.stdout);
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    // after its last output
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** Marks installed packages that suffice for building and starting a server, but not for tests and the rest. */
const partialMark = join(rootFolder, 'node_modules', '.partial');
/**
 * The workspaces whose dependencies a start needs, including those for their builds; the engine in a process needs no
 * more, and its examples run.
 */
const START_WORKSPACES = ['apps/server', 'apps/dashboard', 'packages/foundation/kernel', 'packages/fossick'];
/** Any cached package of npm is fine: the lock file has checksums. */
const CI = ['ci', '--no-audit', '--no-fund', '--prefer-offline'];

/** Whether all packages are installed, not only those that a start needs. */
export function isWhollyInstalled() {
  return isInstalled() && !existsSync(partialMark);
}

/** Installs the locked packages when there are none, or when the lock file has changed. Throws when npm fails. */
export async function ensureInstalled() {
  if (isWhollyInstalled()) return;
  console.log('Installing packages (npm ci) ...');
  if ((await runCommand('npm', CI)) !== 0) throw new Error('npm ci failed');
}

/**
 * The same, but only the packages that a start needs, which are half of them. Installed ones stay. Some versions of npm
 * fail to install a part; then everything is installed. Throws when that fails, too.
 */
export async function ensureInstalledForStart() {
  if (isInstalled()) return;
  console.log('Installing packages ...');
  const only = START_WORKSPACES.flatMap((folder) => ['--workspace', folder]);
  const partial = await quietCommand('npm', [...CI, '--loglevel=error', ...only]);
  if (partial === 0) {
    writeFileSync(partialMark, 'npm start installed what it needs; npm ci installs the rest\n');
    return;
  }
  console.log('npm could not install a part of the packages; installing all of them (npm ci) ...');
  if ((await runCommand('npm', [...CI, '--loglevel=error'])) !== 0) throw new Error('npm ci failed');
}

/** Runs a command without its output and returns its exit code: what it says is no concern of the user. */
function quietCommand(command, args) {
  return runCommand(command, args, { stdio: 'ignore' });
}

function isInstalled() {
  const installedFile = join(rootFolder, 'node_modules', '.package-lock.json');
  const lockFile = join(rootFolder, 'package-lock.json');
  if (!existsSync(installedFile)) return false;
  // what a start needs is not in the lock file, so that only times say whether it is older
  if (existsSync(partialMark)) return statSync(installedFile).mtimeMs >= statSync(lockFile).mtimeMs;
  const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
  return lackingPackages(packagesOf(lockFile), packagesOf(installedFile)).length === 0;
}

/**
 * The packages of a lock file that npm's list of installed ones lacks, or has in another version; those that a system
 * may do without are left out. Times of the two files would not show it: a copy of `node_modules` has times of its own.
 */
export function lackingPackages(locked, installed) {
  return Object.entries(locked)
    .filter(([path, { optional, devOptional }]) => path.includes('node_modules/') && !optional && !devOptional)
    .filter(([path, { version }]) => installed[path] === undefined || installed[path].version !== version)
    .map(([path]) => path);
}

/** Runs a task of turbo and returns its exit code. */
export function runTurbo(args) {
  const turbo = join(rootFolder, 'node_modules', '.bin', 'turbo');
  return runCommand(turbo, ['run', ...args, '--no-update-notifier']);
}

/** Builds every package in dependency order; a second run uses turbo's local cache. Throws when it fails. */
export async function ensureBuilt() {
  if ((await runTurbo(['build', '--output-logs=errors-only', '--cache=local:rw'])) !== 0)
    throw new Error('the build failed');
}

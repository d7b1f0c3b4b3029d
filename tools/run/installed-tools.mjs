/** Package managers and versions of Node that tests need: npm installs them. Plain Node without dependencies. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { quietEnvironment } from './workspace.mjs';

/**
 * An environment whose shell finds the programs of these packages of npm first, such as `npm@11` or `pnpm@12`, and with
 * `node` that version of Node (null: the one of this process). They are installed once, below the user's folder for
 * caches; a newer version that was published since is installed. `overrides`: as in package.json. Throws when npm fails.
 */
export function installedTools(packages, node = null, overrides = {}) {
  // what npm's package 'node' would fetch by a script: some versions of npm run none
  const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const wanted = [...packages, ...(node === null ? [] : [`${nodePackage}@${node}`])];
  const folder = join(
    homedir(),
    '.cache',
    'fossick-test',
    wanted.join('-').replaceAll(/[@/]+/g, '-').replace(/^-/, ''),
  );
  mkdirSync(folder, { recursive: true });
  // a project of its own
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }));
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...wanted], {
    cwd: folder,
    env: quietEnvironment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const programs = [
    join(folder, 'node_modules', '.bin'),
    ...(node === null ? [] : [join(folder, 'node_modules', nodePackage, 'bin')]),
  ];
  return { folder, env: { ...quietEnvironment, PATH: [...programs, process.env.PATH].join(delimiter) } };
}

/** The program `node` that a shell with this environment finds. */
export function nodeOf(env) {
  return execFileSync('sh', ['-c', 'command -v node'], { encoding: 'utf8', env }).trim();
}

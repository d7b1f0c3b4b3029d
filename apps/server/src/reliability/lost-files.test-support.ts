/** What may happen to the files of a database, and what a start and `fossick check` say then. */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import type { ServerOptions } from '@fossick/instance';
import { expect } from 'vitest';
import { startTestServer } from '../e2e/test-server.test-support.js';

/** What may happen to the file of a store, given its folder. */
export const FILE_LOSSES: Readonly<Record<string, (folder: string) => void>> = {
  removed: (folder) => rmSync(join(folder, 'data.mdb')),
  emptied: (folder) => truncateSync(join(folder, 'data.mdb'), 0),
  'cut to its half': (folder) => cut(folder, (bytes) => Math.floor(bytes / 2)),
  'cut to one byte': (folder) => cut(folder, () => 1),
  'cut to its first page': (folder) => cut(folder, () => 4096),
  'cut to its two heads': (folder) => cut(folder, () => 8192),
  'an empty folder': (folder) => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  },
  'full of zeros': (folder) =>
    writeFileSync(join(folder, 'data.mdb'), Buffer.alloc(statSync(join(folder, 'data.mdb')).size)),
  'a text': (folder) => writeFileSync(join(folder, 'data.mdb'), 'not found\n'),
  'a folder': (folder) => {
    rmSync(join(folder, 'data.mdb'));
    mkdirSync(join(folder, 'data.mdb'));
  },
  'a link to nothing': (folder) => {
    rmSync(join(folder, 'data.mdb'));
    symlinkSync(join(folder, 'elsewhere.mdb'), join(folder, 'data.mdb'));
  },
  'a link to itself': (folder) => {
    rmSync(join(folder, 'data.mdb'));
    symlinkSync('data.mdb', join(folder, 'data.mdb'));
  },
  'under another name': (folder) => renameSync(join(folder, 'data.mdb'), join(folder, 'data.mdb.bak')),
};

function cut(folder: string, to: (bytes: number) => number): void {
  const file = join(folder, 'data.mdb');
  truncateSync(file, to(statSync(file).size));
}

/** Names and contents of all files, without those that hold nothing that outlives a process. */
export function contentsOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (below: string): void => {
    for (const item of readdirSync(below, { withFileTypes: true })) {
      const path = join(below, item.name);
      if (item.isDirectory()) walk(path);
      else if (item.name !== 'lock.mdb' && item.isFile())
        found[relative(folder, path)] = createHash('sha256').update(readFileSync(path)).digest('hex');
    }
  };
  walk(folder);
  return found;
}

/** What a start over the folder is refused for, in this process; empty when it starts. */
export async function refusalOf(folder: string, options: readonly string[]): Promise<string> {
  try {
    await (await startTestServer(folder, options)).stop();
  } catch (error) {
    expect((error as Error).constructor.name).toBe('LaunchError');
    return (error as Error).message;
  }
  return '';
}

/** What `fossick check` finds in the folder. */
export async function problemsOf(folder: string): Promise<string[]> {
  const [{ checkDatabase }, { readServerOptions }] = (await Promise.all(
    ['commands/check', 'index'].map(
      (name) => import(/* @vite-ignore */ new URL(`../../dist/${name}.js`, import.meta.url).href),
    ),
  )) as [
    { checkDatabase(options: ServerOptions, report: object): Promise<number> },
    { readServerOptions(argv: readonly string[], env: object): ServerOptions },
  ];
  const problems: string[] = [];
  const report = { line: () => undefined, problem: (text: string) => problems.push(text) };
  await checkDatabase(readServerOptions(['--db-path', folder], {}), report);
  return problems;
}

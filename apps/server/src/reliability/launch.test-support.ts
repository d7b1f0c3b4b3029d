import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BIN_FILE } from '../e2e/server-command.test-support.js';
import { freePort } from '../e2e/server-process.test-support.js';

/** Whether the server is built. */
export const isBuilt = existsSync(fileURLToPath(new URL('../../dist/main.js', import.meta.url)));

/** The result of a start. */
export interface LaunchEnd {
  /** Null when a signal ended the process. */
  readonly code: number | null;
  readonly stderr: string;
}
export interface Launched {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  readonly ended: Promise<LaunchEnd>;
}

/** Starts the built server over a folder and waits for nothing. `port` is a free one when absent. */
export async function launch(
  folder: string,
  options: readonly string[] = [],
  { env = {}, port }: { readonly env?: Readonly<Record<string, string>>; readonly port?: number } = {},
): Promise<Launched> {
  const taken = port ?? (await freePort());
  const always = ['--db-path', folder, '--http-addr', `127.0.0.1:${taken}`, '--no-analytics', '--log-level', 'ERROR'];
  const child = spawn(process.execPath, [BIN_FILE, ...always, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const ended = new Promise<LaunchEnd>((resolve) => child.once('close', (code) => resolve({ code, stderr })));
  return { url: `http://127.0.0.1:${taken}`, port: taken, child, ended };
}

/** Lines of a server's stderr that are no warnings about the master key. */
export function complaints(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('warning: no master key'));
}

/** Every file below a folder with its size and time of change: equal lists mean that nothing was changed. */
export function contentsOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((item) => join(item.parentPath, item.name))
    .map((path) => {
      const { size, mtimeMs } = statSync(path);
      return `${relative(folder, path)} ${size} ${mtimeMs}`;
    })
    .sort();
}

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { VERSION_FILE } from '@fossick/instance';
import { InstanceClient, listAll } from '@fossick/instance/client';
import type { CommandHost } from '@fossick/runtime/extension';
import { replaceFile } from '@fossick/storage';
import { dryRunMove, moveInstance, versionOf } from './move-instance.js';
import { readMoveOptions } from './move-options.js';
import { MoveReport } from './move-report.js';

/** The target of a move, and how to close it. */
interface Target {
  readonly client: InstanceClient;
  readonly ownKeys: readonly string[] | null;
  /** Called after everything was moved. */
  finish(): void;
  close(): Promise<void>;
}
/** In the folder of a database created by an unfinished move: uids of the keys that the new database had at first. */
const UNFINISHED_FILE = 'moving.json';

/**
 * Copies a running instance to another one, or into the folder of a database that no server has open. Returns whether
 * everything was moved. Throws LaunchError.
 */
export async function moveOver(command: CommandHost): Promise<boolean> {
  const { options, own, moves } = command;
  const move = readMoveOptions(own);
  const report = new MoveReport(process.stderr);
  const startedMs = Date.now();
  const source = new InstanceClient({ role: 'source', url: move.from, key: move.fromKey, keyFlag: '--from-key' });
  try {
    // a missing source, or a wrong key, is reported before a database is created
    await versionOf(source);
    if (move.isDryRun) {
      await dryRunMove({ ...move, source, report });
      return true;
    }
    const target = move.to === null ? await folderTarget(command) : serverTarget(move.to, move.toKey);
    try {
      const { client, ownKeys } = target;
      await moveInstance({ ...move, source, target: client, report, ownKeys, more: moves });
      target.finish();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  const where = move.to === null ? resolve(options.dbPath) : move.to;
  const isWhole = report.problemCount === 0;
  process.stdout.write(report.summary(`${isWhole ? 'moved' : 'moved in part'} to ${where} in ${seconds} s`));
  return isWhole;
}

function serverTarget(url: string, key: string | null): Target {
  const client = new InstanceClient({ role: 'target', url, key, keyFlag: '--to-key' });
  return { client, ownKeys: null, finish: () => undefined, close: () => client.close() };
}

/** A server in this process over the folder, on a random address and with a random key. */
async function folderTarget({ options, startServer }: CommandHost): Promise<Target> {
  const dbPath = resolve(options.dbPath);
  const unfinished = join(dbPath, UNFINISHED_FILE);
  const isNew = !existsSync(join(dbPath, VERSION_FILE));
  const masterKey = options.masterKey ?? randomBytes(32).toString('hex');
  const server = await startServer({
    ...options,
    masterKey,
    host: '127.0.0.1',
    port: 0,
    tls: null,
    logLevel: 'ERROR',
    countsUsage: false,
    // all extensions take what is moved, and do nothing else
    extensions: null,
    values: options.values.withoutValues(),
  });
  const client = new InstanceClient({ role: 'target', url: server.url, key: masterKey, keyFlag: '--master-key' });
  try {
    if (isNew) {
      const uids = (await listAll<{ uid: string }>(client, '/keys')).map(({ uid }) => uid);
      replaceFile(unfinished, JSON.stringify(uids));
    }
    const ownKeys = existsSync(unfinished) ? (JSON.parse(readFileSync(unfinished, 'utf8')) as string[]) : null;
    return {
      client,
      ownKeys,
      finish: () => rmSync(unfinished, { force: true }),
      close: async () => {
        await client.close();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

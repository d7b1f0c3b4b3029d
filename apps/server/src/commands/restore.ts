import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  claimFolder,
  completeDatabase,
  LaunchError,
  OptionError,
  refuseForeignFolder,
  VERSION_FILE,
} from '@fossick/instance';
import type { Invocation } from '@fossick/instance/invocation';
import { EXTENSIONS } from '../extensions/extension-list.js';
import { commandHost, refuseLeftOut } from './extension-command.js';

/**
 * Creates a database from what an extension reads; returns its folder, which must not exist. Throws LaunchError and OptionError.
 */
export async function restoreDatabase(invocation: Invocation): Promise<string> {
  const { options, own } = invocation;
  const from = own.get('from')?.text;
  if (from === undefined) throw new OptionError('restore needs --from, the address of what to make a database of');
  const command = commandHost(invocation);
  const [found] = EXTENSIONS.flatMap(({ name, restore }) => {
    const restoreInto = restore?.read(from, command);
    return restoreInto === undefined ? [] : [{ name, restoreInto }];
  });
  if (found === undefined) throw new OptionError(`--from: no extension makes a database of \`${from}\``);
  refuseLeftOut(found.name, 'restore', options);
  const dbPath = resolve(options.dbPath);
  refuseForeignFolder(dbPath);
  if (existsSync(join(dbPath, VERSION_FILE)))
    throw new LaunchError(`there is a database in ${dbPath}: name another folder with --db-path`);
  const claim = claimFolder(dbPath);
  try {
    const line = await found.restoreInto(dbPath);
    completeDatabase(dbPath);
    if (line !== null) process.stderr.write(`${line}\n`);
    claim.release();
  } catch (error) {
    claim.abandon();
    throw error;
  }
  return dbPath;
}

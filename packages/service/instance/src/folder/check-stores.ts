import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isPlanted } from '@fossick/base';
import { checkIndexes, indexFolders } from '@fossick/index';
import {
  checkStore,
  lastCommitOf,
  type StoreCheck,
  type StoreCheckLimits,
  type StoreUse,
  storeUse,
} from '@fossick/storage';
import { LaunchError } from '../configuration/launch-error.js';
import { databaseId, INSTANCE_STORES, type InstanceStore, storeId, strayId } from './database-id.js';
import { VERSION_FILE } from './database-version.js';
import { checkNodeStore, hasLostLog } from './node-folder.js';
import { NODE_FOLDER, NODE_ID, NODE_REMEDY } from './node-names.js';

/**
 * Time that checking all pages and rows may add to a start: enough for some gigabytes in the system's cache, and for
 * much less on a slow disk.
 */
const LOOK_MS = 3_000;
/** What is lost without a store. */
const CONTENTS: Readonly<Record<InstanceStore, string>> = {
  auth: 'keys and values of the instance',
  tasks: 'the queue',
  instance: 'the names of all indexes',
};
const PAGE = 'docs/operations/reliability.md, "A file of the database is missing"';

/**
 * Checks the files of all stores by reading them, before any is opened: mapping a damaged file would end the process.
 * Returns lines for the terminal, about damaged indexes (requests for them are refused, all others are served), about
 * stores that were repaired because an earlier release had compacted them, and about folders that belong to no index.
 * `isAfterDeath`: the last process with the database ended unexpectedly. Throws LaunchError when a store that every
 * request needs is damaged or missing; then nothing in the folder was changed.
 */
export async function checkStores(dbPath: string, isAfterDeath: boolean): Promise<string[]> {
  const lines: string[] = [];
  const look = { untilMs: performance.now() + (isPlanted('store.look') ? 0 : LOOK_MS), isAfterDeath };
  const lost = lostStores(dbPath);
  if (lost[0] !== undefined) throw new LaunchError(lost[0].problem);
  for (const name of INSTANCE_STORES) {
    const folder = join(dbPath, name);
    try {
      if (checkInstanceStore(dbPath, name, look).isRepaired)
        lines.push(`the store ${folder} was compacted by an earlier release: it was written again`);
    } catch (error) {
      throw new LaunchError(`the store ${folder} cannot be opened: ${(error as Error).message}`, { cause: error });
    }
    rmSync(`${folder}.repaired`, { recursive: true, force: true });
  }
  checkNodeStore(dbPath, look);
  lines.push(...newStores(dbPath));
  for (const { uid, kind, reason } of await checkIndexes(dbPath, look)) {
    if (kind === 'unnamed') lines.push(`the folder ${uid} is kept: ${reason}`);
    else if (kind === 'repaired') lines.push(`the index \`${uid}\` was written again: ${reason}`);
    else if (kind === 'suspected') lines.push(`the index \`${uid}\` was looked at to its end and is whole: ${reason}`);
    else lines.push(`the index \`${uid}\` cannot be opened, all others are served: ${reason}`);
  }
  return lines;
}

/** checkStore of one of the instance's stores, which also has to be that of this database. Throws for damage. */
export function checkInstanceStore(dbPath: string, name: InstanceStore, look: StoreCheckLimits): StoreCheck {
  const folder = join(dbPath, name);
  let checked: StoreCheck;
  try {
    checked = checkStore(folder, { ...look, isMarked: false });
  } catch (error) {
    // what LMDB's files are damaged by has its own sentence, which ends with a full stop
    throw new Error(`${(error as Error).message.replace(/\.$/, '')}: ${remedy(dbPath, name)}`, { cause: error });
  }
  const id = existsSync(join(dbPath, VERSION_FILE)) ? databaseId(dbPath) : undefined;
  if (id === undefined) return checked;
  const found = storeId(folder);
  if (found === id) return checked;
  const other = found === undefined ? 'an empty one, or one of an earlier release' : 'that of another database';
  const stray = strayId(dbPath);
  throw new Error(
    `${join(folder, 'data.mdb')} is not the file of this database, but ${other}: ${remedy(dbPath, name)}` +
      (stray === undefined ? '' : `. But ${stray}`),
  );
}

/** A store of a database that is not new, and is not there. */
export interface LostStore {
  readonly name: InstanceStore | typeof NODE_FOLDER;
  readonly problem: string;
}

/**
 * Stores of a database that are missing or empty although it is not new: its VERSION, or what others of its stores have,
 * says so. Looks at files and changes nothing.
 */
export function lostStores(dbPath: string): LostStore[] {
  const isComplete = existsSync(join(dbPath, VERSION_FILE));
  const uses = usesOf(dbPath);
  const lost: LostStore[] = [];
  const lose = (name: InstanceStore, how: string, why: string): void => {
    const file = join(dbPath, name, 'data.mdb');
    lost.push({ name, problem: `${file} is ${how}, although ${why}: ${remedy(dbPath, name)}` });
  };
  for (const name of INSTANCE_STORES) {
    const use = uses[name];
    const how = HOW[use];
    if (isComplete && (use === 'missing' || use === 'void'))
      lose(name, how, `${join(dbPath, VERSION_FILE)} says that the database is not new`);
    else if (name === 'instance' && use !== 'used' && hasDocuments(dbPath))
      lose(name, how, `there are indexes in ${join(dbPath, 'indexes')}`);
    // whoever makes an index makes a task first
    else if (isComplete && name === 'tasks' && use !== 'used' && (lastCommitOf(join(dbPath, 'instance')) ?? 0) > 0)
      lose(name, how, 'there are indexes');
  }
  if (isComplete && hasLostLog(dbPath))
    lost.push({
      name: NODE_FOLDER,
      problem: `${join(dbPath, NODE_FOLDER, 'data.mdb')} is missing or empty, although this is the folder of a ${NODE_ID}: ${NODE_REMEDY}`,
    });
  return lost;
}

const HOW: Readonly<Record<StoreUse, string>> = {
  missing: 'missing',
  void: 'empty',
  unused: 'an empty store',
  used: 'there',
};

function remedy(dbPath: string, name: InstanceStore): string {
  if (existsSync(join(dbPath, NODE_FOLDER))) return `put the file back, or ${NODE_REMEDY}`;
  const restore = 'put the file back from a copy of the folder, or import a copy of the instance into an empty folder';
  return `it has ${CONTENTS[name]}; ${restore}. To go on without it, see ${PAGE}`;
}

function usesOf(dbPath: string): Readonly<Record<InstanceStore, StoreUse>> {
  const use = (name: InstanceStore): StoreUse => storeUse(join(dbPath, name));
  return { auth: use('auth'), tasks: use('tasks'), instance: use('instance') };
}

/** Whether a folder of an index has had more commits than its creation. */
function hasDocuments(dbPath: string): boolean {
  return indexFolders(dbPath).kept.some((name) => (lastCommitOf(join(dbPath, 'indexes', name)) ?? 0) > 1);
}

/** Of a folder without VERSION: stores that a start makes, although others are in use. */
function newStores(dbPath: string): string[] {
  const uses = usesOf(dbPath);
  const isInUse = Object.values(uses).some((use) => use === 'used');
  return INSTANCE_STORES.filter((name) => isInUse && (uses[name] === 'missing' || uses[name] === 'void')).map(
    (name) =>
      `the store ${join(dbPath, name)} was missing, and so was ${join(dbPath, VERSION_FILE)}: it is new and empty`,
  );
}

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { TASK_STATUS_NAMES } from '@fossick/api';
import { checkIndexes, verifyIndexes } from '@fossick/index';
import {
  checkInstanceStore,
  checkNodeStore,
  type DatabaseFolders,
  type InstanceStore,
  type LostStore,
  lostStores,
  NODE_CONTENTS,
  NODE_FOLDER,
  type ServerOptions,
} from '@fossick/instance';
import { storedKeys } from '@fossick/instance/access';
import { openLmdbStore } from '@fossick/storage';
import { openTaskLog } from '@fossick/tasks';
import { withClosedDatabase } from './closed-database.js';

/** Where lines of the report are written: `problem` gets the problems. */
export interface CheckReport {
  line(text: string): void;
  problem(text: string): void;
}

/**
 * Checks a whole database that no server has open: every page and the checksum of every row of each store, then its
 * parts against one another. A damaged store is not opened. Returns the number of problems. Throws LaunchError.
 * O(bytes)
 */
export async function checkDatabase(options: ServerOptions, report: CheckReport): Promise<number> {
  let problemCount = 0;
  const counting: CheckReport = {
    line: (text) => report.line(text),
    problem: (text) => {
      problemCount += 1;
      report.problem(text);
    },
  };
  await withClosedDatabase(options, (folders) => checkAll(folders, counting));
  return problemCount;
}

async function checkAll(folders: DatabaseFolders, report: CheckReport): Promise<void> {
  const { dbPath, authFolder } = folders;
  const lost = lostStores(dbPath);
  for (const { name, problem } of lost) report.problem(`${SHOWN_NAMES[name]}: ${problem}`);
  const isWhole = (name: InstanceStore): boolean => {
    // whatever opens it would make a new one
    if (lost.some((one) => one.name === name)) return false;
    try {
      const { isRepaired } = checkInstanceStore(dbPath, name, { untilMs: Number.POSITIVE_INFINITY });
      report.line(`${SHOWN_NAMES[name]}: pages and sums are right${isRepaired ? '; it was brought into order' : ''}`);
      return true;
    } catch (error) {
      report.problem(`${SHOWN_NAMES[name]}: ${(error as Error).message}`);
      return false;
    }
  };
  try {
    checkNodeStore(dbPath, { untilMs: Number.POSITIVE_INFINITY });
  } catch (error) {
    report.problem(`${SHOWN_NAMES[NODE_FOLDER]}: ${(error as Error).message}`);
  }
  if (isWhole('auth')) await checkKeys(authFolder, report);
  if (isWhole('tasks')) await checkTasks(folders, report);
  if (isWhole('instance')) await checkIndexStores(dbPath, report);
}

const SHOWN_NAMES: Readonly<Record<LostStore['name'], string>> = {
  auth: 'keys and values',
  tasks: 'tasks',
  instance: 'names of indexes',
  [NODE_FOLDER]: NODE_CONTENTS,
};

async function checkKeys(authFolder: string, report: CheckReport): Promise<void> {
  const store = openLmdbStore({ folder: authFolder });
  try {
    report.line(`keys: ${storedKeys(store).length}`);
  } catch (error) {
    report.problem(`keys: ${(error as Error).message}`);
  } finally {
    await store.close();
  }
}

/** Every task can be read, is in exactly one set of statuses, and has its payload while it waits. */
async function checkTasks({ taskFolder, payloadFolder }: DatabaseFolders, report: CheckReport): Promise<void> {
  const store = openLmdbStore({ folder: taskFolder });
  try {
    const log = openTaskLog(store, { payloadFolder });
    const counts = TASK_STATUS_NAMES.map((status) => {
      let count = 0;
      for (const task of log.tasks({ statuses: [status] })) {
        count += 1;
        if (task.status !== status) report.problem(`tasks: ${task.uid} is ${task.status} and counts as ${status}`);
      }
      return count;
    });
    const uids = log.uids({});
    const sum = counts.reduce((total, count) => total + count, 0);
    if (sum !== uids.length) report.problem(`tasks: there are ${uids.length}, and ${sum} of them have a status`);
    for (const uid of uids) if (log.get(uid) === undefined) report.problem(`tasks: ${uid} has no row`);
    for (const file of log.livePayloadFiles())
      if (!existsSync(file)) report.problem(`tasks: the documents ${basename(file)} of a waiting task are missing`);
    report.line(`tasks: ${TASK_STATUS_NAMES.map((status, at) => `${counts[at]} ${status}`).join(', ')}`);
  } catch (error) {
    report.problem(`tasks: ${(error as Error).message}`);
  } finally {
    await store.close();
  }
}

async function checkIndexStores(dbPath: string, report: CheckReport): Promise<void> {
  const damaged = new Set<string>();
  for (const { uid, kind, reason } of await checkIndexes(dbPath, { untilMs: Number.POSITIVE_INFINITY })) {
    if (kind === 'unnamed') report.line(`the folder ${uid} is kept: ${reason}`);
    else if (kind === 'repaired') report.line(`index \`${uid}\`: ${reason}; it was brought into order`);
    else {
      damaged.add(uid);
      report.problem(`index \`${uid}\`: ${reason}`);
    }
  }
  for await (const { uid, verdict } of verifyIndexes(dbPath)) {
    // its file was reported already, and it cannot be opened
    if (damaged.has(uid)) continue;
    const { documentCount, segmentCount, wordCount, problems } = verdict;
    const sizes = `${documentCount} documents, ${segmentCount} segments, ${wordCount} words`;
    report.line(`index \`${uid}\`: ${sizes}${problems.length === 0 ? ', all of it right' : ''}`);
    for (const problem of problems) report.problem(`index \`${uid}\`: ${problem}`);
  }
}

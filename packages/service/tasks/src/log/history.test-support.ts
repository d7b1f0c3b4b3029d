import type { Store } from '@fossick/storage';
import type { TaskContent } from '../task/content.js';
import type { TaskLog } from './task-log.js';

/** A generator of pseudo-random numbers below a maximum. */
export function randomOf(seed: number): (max: number) => number {
  let state = seed >>> 0;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

/** Every row of a store, as text. */
export function rowsOf(store: Store): Record<string, readonly string[]> {
  const shown = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
  return store.snapshot(({ tableNames, table }) =>
    Object.fromEntries(
      tableNames
        .map(
          (name) =>
            [name, [...table(name).range({})].map(({ key, value }) => `${shown(key)} ${shown(value)}`)] as const,
        )
        .filter(([, rows]) => rows.length > 0),
    ),
  );
}

const INDEXES = ['a', 'b', 'c'];

/** Any kind of task that a request may make, of few indexes. */
export function randomContent(random: (max: number) => number, log: TaskLog): TaskContent {
  const indexUid = INDEXES[random(INDEXES.length)]!;
  const other = INDEXES[random(INDEXES.length)]!;
  const uids = (): number[] => log.uids({}).filter(() => random(3) === 0);
  switch (random(9)) {
    case 0:
      return { type: 'indexCreation', indexUid, primaryKey: random(2) === 0 ? null : 'id' };
    case 1:
      return { type: 'indexSwap', swaps: [{ indexes: [indexUid, other], rename: random(2) === 0 }] };
    case 2:
      return { type: 'indexUpdate', indexUid, newUid: other };
    case 3:
      return { type: 'taskCancelation', taskUids: uids(), originalFilter: '?uids=*' };
    case 4:
      return { type: 'taskDeletion', taskUids: uids(), originalFilter: '?statuses=succeeded' };
    case 5:
      return { type: 'settingsUpdate', indexUid, settings: { stopWords: ['the'] }, allowIndexCreation: true };
    case 6:
      return { type: 'dumpCreation' };
    default:
      return { type: 'documentDeletion', indexUid, target: { by: 'ids', ids: [`${random(100)}`] } };
  }
}

import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { openMemoryStore, type Store } from '@fossick/storage';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runScheduler } from '../run/run-scheduler.js';
import type { Swap, TaskContent } from '../task/content.js';
import { taskDetails } from '../task/details.js';
import { SWAP_PREFIX, SWAP_SETS_KEY, setKey, tableNames } from './layout.js';
import { openTaskLog, type TaskLog } from './task-log.js';

const swap = (left: string, right: string): Swap => ({ indexes: [left, right], rename: false });
const renaming = (left: string, right: string): Swap => ({ indexes: [left, right], rename: true });
const swaps = (...given: Swap[]): TaskContent => ({ type: 'indexSwap', swaps: given });
const creation = (indexUid: string): TaskContent => ({ type: 'indexCreation', indexUid, primaryKey: null });
const rename = (indexUid: string, newUid: string): TaskContent => ({ type: 'indexUpdate', indexUid, newUid });
const deletion = (indexUid: string): TaskContent => ({ type: 'documentDeletion', indexUid, target: { by: 'all' } });

/** Runs tasks to their end; those that contain a name in `missing` fail. */
function drain(log: TaskLog, contents: readonly TaskContent[], missing?: string): Promise<void> {
  for (const content of contents) log.enqueue(content);
  let leftCount = contents.length;
  return new Promise((resolve) => {
    const scheduler = runScheduler({
      log,
      findIndex: () => ({ primaryKey: null }),
      executor: {
        execute: async ({ tasks }) =>
          tasks.map(({ content }) =>
            missing !== undefined && JSON.stringify(content).includes(`"${missing}"`)
              ? { status: 'failed', error: { code: 'index_not_found', message: 'x' } }
              : { status: 'succeeded' },
          ),
      },
      onCommit: ({ tasks }) => {
        leftCount -= tasks.length;
        if (leftCount === 0) void scheduler.stop().then(resolve);
      },
    });
  });
}
const swapsOf = (log: TaskLog, uid: number): unknown =>
  (taskDetails(log.get(uid)!) as { swaps?: readonly Swap[] }).swaps?.map(({ indexes }) => indexes.join(' '));
const batchSwapsOf = (log: TaskLog, uid: number): unknown =>
  (log.getBatch(log.get(uid)!.batchUid!)!.details as { swaps?: readonly Swap[] }).swaps?.map(({ indexes }) =>
    indexes.join(' '),
  );

it.each<[name: string, queue: TaskContent[], first: string[]]>([
  ['the same swap again', [swaps(swap('a', 'b')), swaps(swap('a', 'b'))], ['b a']],
  ['three times', [swaps(swap('a', 'b')), swaps(swap('a', 'b')), swaps(swap('a', 'b'))], ['a b']],
  ['the other way round', [swaps(swap('a', 'b')), swaps(swap('b', 'a'))], ['b a']],
  ['one index with a third', [swaps(swap('a', 'b')), swaps(swap('b', 'c'))], ['a c']],
  ['both with others', [swaps(swap('a', 'b')), swaps(swap('a', 'x'), swap('b', 'y'))], ['x y']],
  ['other indexes', [swaps(swap('a', 'b')), swaps(swap('c', 'd'))], ['a b']],
  ['one pair of several', [swaps(swap('a', 'b'), swap('c', 'd')), swaps(swap('d', 'e'))], ['a b', 'c e']],
  [
    'two pairs that cross',
    [swaps(swap('a', 'b'), swap('c', 'd')), swaps(swap('a', 'c'), swap('b', 'd'))],
    ['c d', 'a b'],
  ],
  ['a swap that renames', [swaps(swap('a', 'b')), swaps(renaming('a', 'c'))], ['c b']],
  ['a renaming back', [swaps(renaming('a', 'b')), swaps(renaming('b', 'a'))], ['b a']],
  ['a rename', [swaps(swap('a', 'b')), rename('b', 'c')], ['a c']],
  ['a rename, then a swap', [swaps(swap('a', 'b')), rename('b', 'c'), swaps(swap('c', 'a'))], ['c a']],
  [
    'names that objects have',
    [swaps(swap('constructor', '__proto__')), swaps(swap('constructor', 'b'))],
    ['b __proto__'],
  ],
  ['no swap at all', [swaps(swap('a', 'b')), swaps()], ['a b']],
])('an older swap follows %s', async (_name, queue, first) => {
  const log = openTaskLog(openMemoryStore());
  await drain(log, queue);
  expect(swapsOf(log, 0)).toEqual(first);
  expect(batchSwapsOf(log, 0)).toEqual(first);
  const last = queue.length - 1;
  const asked = queue[last]!;
  if (asked.type === 'indexSwap')
    expect(swapsOf(log, last)).toEqual(asked.swaps.map(({ indexes }) => indexes.join(' ')));
  // swaps are found under no index
  for (const uid of ['a', 'b', 'c']) expect(log.uids({ indexUids: [uid], types: ['indexSwap'] })).toEqual([]);
});

it('a swap that failed follows later ones, and changes nothing itself', async () => {
  const log = openTaskLog(openMemoryStore());
  await drain(log, [creation('a')]);
  await drain(log, [swaps(swap('a', 'none'))], 'none');
  expect(log.uids({ indexUids: ['a'] })).toEqual([0]);
  await drain(log, [swaps(swap('a', 'b'))]);
  expect(swapsOf(log, 1)).toEqual(['b none']);
  expect(log.uids({ indexUids: ['b'] })).toEqual([0]);
});

it('swaps that an earlier release wrote follow too', async () => {
  const store: Store = openMemoryStore();
  const log = openTaskLog(store);
  await drain(log, [swaps(swap('a', 'b')), swaps(swap('c', 'd'))]);
  store.transaction((txn) => {
    txn.delete(tableNames.meta, SWAP_SETS_KEY);
    for (const uid of ['a', 'b', 'c', 'd']) txn.delete(tableNames.sets, setKey(`${SWAP_PREFIX}${uid}`, 0));
  });
  await drain(log, [swaps(swap('a', 'c'))]);
  expect([swapsOf(log, 0), swapsOf(log, 1)]).toEqual([['c b'], ['a d']]);
  await drain(log, [swaps(swap('c', 'b'))]);
  expect([swapsOf(log, 0), swapsOf(log, 1)]).toEqual([['b c'], ['a d']]);
});

it('a batch counts its tasks under the names that they have now', async () => {
  const log = openTaskLog(openMemoryStore());
  await drain(log, [deletion('a'), deletion('a'), deletion('b')]);
  expect(log.getBatch(0)!.stats.indexUids).toEqual({ a: 2 });
  await drain(log, [swaps(swap('a', 'b'))]);
  expect([0, 1].map((uid) => log.getBatch(uid)!.stats.indexUids)).toEqual([{ b: 2 }, { a: 1 }]);
  await drain(log, [rename('b', 'c')]);
  expect(log.getBatch(0)!.stats).toMatchObject({ totalNbTasks: 2, indexUids: { c: 2 } });
  const page = { limit: 9 };
  const listed = ['a', 'b', 'c'].map((name) =>
    log.listBatches({ indexUids: [name] }, page).results.map(({ uid }) => uid),
  );
  // the rename itself keeps the name of its request
  expect(listed).toEqual([[1], [3], [0]]);
});

it('the canceled tasks of several indexes are counted under their names', async () => {
  const log = openTaskLog(openMemoryStore());
  const waiting = [creation('a'), creation('b'), creation('b'), creation('c')].map((content) => log.enqueue(content));
  log.enqueue(log.selection('taskCancelation', { uids: waiting.map(({ uid }) => uid) }, '?uids=0,1,2,3'));
  await new Promise<void>((resolve) => {
    const scheduler = runScheduler({
      log,
      findIndex: () => undefined,
      executor: { execute: async () => [] },
      onCommit: () => void scheduler.stop().then(resolve),
    });
  });
  await drain(log, [swaps(swap('a', 'b'))]);
  expect(log.getBatch(0)!.stats.indexUids).toEqual({ a: 2, b: 1, c: 1 });
});

it('random swaps and renames exchange every older mention', async () => {
  const uid = fc.constantFrom('a', 'b', 'c', 'd');
  const pair = fc.tuple(uid, uid).filter(([left, right]) => left !== right);
  const task = fc.oneof(
    uid.map(creation),
    pair.map(([left, right]) => swaps(swap(left, right))),
    pair.map(([left, right]) => swaps(renaming(left, right))),
    pair.map(([left, right]) => rename(left, right)),
    fc.constant(swaps(swap('a', 'b'), swap('c', 'd'))),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(task, { minLength: 2, maxLength: 12 }), async (queue) => {
      const log = openTaskLog(openMemoryStore());
      await drain(log, queue);
      // the model: index names of each task, and the pairs of each swap
      const names = queue.map((content) => ('indexUid' in content ? content.indexUid : null));
      const pairs = queue.map((content) =>
        content.type === 'indexSwap' ? content.swaps.map(({ indexes }) => [...indexes]) : [],
      );
      for (const [at, content] of queue.entries()) {
        const changes =
          content.type === 'indexSwap'
            ? content.swaps
            : content.type === 'indexUpdate'
              ? [renaming(content.indexUid, content.newUid!)]
              : [];
        for (const { indexes, rename } of changes) {
          const [left, right] = indexes;
          const exchanged = (name: string): string => (name === left ? right : name === right ? left : name);
          for (let older = 0; older < at; older++) {
            const name = names[older];
            if (name !== null && name !== undefined && (name === left || !rename)) names[older] = exchanged(name);
            pairs[older] = pairs[older]!.map((one) => one.map(exchanged));
          }
        }
      }
      const tasks = queue.map((_, at) => log.get(at)!);
      expect(tasks.map(({ content }) => ('indexUid' in content ? content.indexUid : null))).toEqual(names);
      for (const at of queue.keys()) {
        const wanted = queue[at]!.type === 'indexSwap' ? pairs[at]!.map((one) => one.join(' ')) : undefined;
        expect([swapsOf(log, at), batchSwapsOf(log, at)]).toEqual([wanted, wanted]);
        const name = names[at];
        if (name !== null && name !== undefined) {
          expect(log.uids({ indexUids: [name] })).toContain(at);
          expect(log.getBatch(tasks[at]!.batchUid!)!.stats.indexUids).toEqual({ [name]: 1 });
        }
      }
    }),
    { numRuns: 60, seed: TEST_SEED },
  );
});

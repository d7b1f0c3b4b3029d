import { ApiError, foreignText } from '@fossick/base';
import { openMemoryStore } from '@fossick/storage';
import { type GatewayLog, type NewTask, openLocalGateway, openTaskLog } from '@fossick/tasks';
import { expect, test } from 'vitest';
import { TaskIntake } from './task-intake.js';

/** A log that counts its commits and refuses the creation of the index `full`. */
function countedLog(): { readonly log: GatewayLog; readonly sizes: number[] } {
  const inner = openTaskLog(openMemoryStore());
  const sizes: number[] = [];
  const enqueueAll = (entries: readonly NewTask[]) => {
    if (entries.some(({ content }) => 'indexUid' in content && content.indexUid === 'full'))
      throw new ApiError('no_space_left_on_device', foreignText('full'));
    sizes.push(entries.length);
    return inner.enqueueAll(entries);
  };
  return { log: { enqueueAll, flush: () => inner.flush(), seal: () => inner.seal() }, sizes };
}
const creation = (indexUid: string) => ({ type: 'indexCreation' as const, indexUid, primaryKey: null });

test('tasks that come together are one commit, in their order', async () => {
  const { log, sizes } = countedLog();
  const intake = new TaskIntake(openLocalGateway(log, () => {}));
  const tasks = await Promise.all(['a', 'b', 'c'].map((uid) => intake.enqueue(creation(uid))));
  expect(tasks.map(({ uid, content }) => [uid, 'indexUid' in content && content.indexUid])).toEqual([
    [0, 'a'],
    [1, 'b'],
    [2, 'c'],
  ]);
  expect((await intake.enqueue(creation('d'), { customMetadata: 'm' })).customMetadata).toBe('m');
  expect(sizes).toEqual([3, 1]);
});

test('one that is refused does not take the others with it', async () => {
  const intake = new TaskIntake(openLocalGateway(countedLog().log, () => {}));
  const settled = await Promise.allSettled(['a', 'full', 'c'].map((uid) => intake.enqueue(creation(uid))));
  expect(
    settled.map((each) => (each.status === 'fulfilled' ? each.value.uid : (each.reason as ApiError).code)),
  ).toEqual([0, 'no_space_left_on_device', 1]);
});

test('the writer hears of a task before its answer, which waits for the disk', async () => {
  const { log } = countedLog();
  const said: string[] = [];
  let isFlushed = (): void => {};
  const flush = (): Promise<void> =>
    new Promise((resolve) => {
      said.push('flush');
      isFlushed = resolve;
    });
  const intake = new TaskIntake(openLocalGateway({ ...log, flush }, () => said.push('visible')));
  const answer = intake.enqueue(creation('a')).then(() => said.push('answer'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(said).toEqual(['visible', 'flush']);
  isFlushed();
  await answer;
  expect(said).toEqual(['visible', 'flush', 'answer']);
});

test('a disk that does not take it refuses the task', async () => {
  const intake = new TaskIntake(
    openLocalGateway({ ...countedLog().log, flush: () => Promise.reject(new Error('EIO')) }, () => {}),
  );
  await expect(intake.enqueue(creation('a'))).rejects.toThrow('EIO');
});

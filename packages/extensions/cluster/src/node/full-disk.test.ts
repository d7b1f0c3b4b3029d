import { apiError } from '@fossick/base';
import { expect, it } from 'vitest';
import { FullDisk } from './full-disk.js';

/** Work that fails with these errors, one after another, and then succeeds. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  return async (): Promise<string> => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
}
const ofCode = (code: string | number) => Object.assign(new Error('the disk'), { code });

/** Time that passes at once, and how long that would have been. */
function hurriedClock() {
  const delays: number[] = [];
  const after = (delayMs: number, work: () => void): Disposable => {
    delays.push(delayMs);
    queueMicrotask(work);
    return { [Symbol.dispose]: () => undefined };
  };
  return { delays, after };
}

it('work is repeated until the disk takes it, and both ends of that time are reported', async () => {
  const told: (string | null)[] = [];
  const clock = hurriedClock();
  const disk = new FullDisk({
    clock,
    isEnding: () => false,
    onChange: (reason) => told.push(reason),
    probe: () => undefined,
  });
  const words = new Error('No space left on device, tasks');
  const lost = apiError('store_unavailable', 'tasks');
  expect(await disk.outlived(failing(ofCode('ENOSPC'), words, lost, ofCode(28)))).toBe('done');
  expect(told).toEqual(['the disk', null]);
  expect(disk.reason).toBeNull();
  expect(clock.delays).toEqual([250, 500, 1_000, 2_000]);
});

it('work gets the reserve before the disk counts as full, and the reserve is made again once there is space', async () => {
  const told: (string | null)[] = [];
  let [isThere, hasSpace, stuck] = [true, false, 0];
  const reserve = {
    release: () => {
      const was = isThere;
      isThere = false;
      return was;
    },
    restore: () => {
      isThere ||= hasSpace;
      return isThere;
    },
  };
  const clock = hurriedClock();
  const disk = new FullDisk({
    clock,
    reserve,
    isEnding: () => false,
    onChange: (reason) => told.push(reason),
    onStuck: () => {
      stuck += 1;
    },
    probe: () => undefined,
  });
  expect(await disk.outlived(failing(ofCode('ENOSPC')))).toBe('done');
  expect([told, clock.delays, isThere, stuck]).toEqual([[], [], false, 0]);
  // it is used up
  expect(await disk.outlived(failing(ofCode('ENOSPC'), ofCode('ENOSPC')))).toBe('done');
  expect([told, clock.delays, isThere, stuck]).toEqual([['the disk', null], [250, 500], false, 2]);
  hasSpace = true;
  await disk.outlived(failing());
  expect(isThere).toBe(true);
  expect(await disk.outlived(failing(ofCode(28)))).toBe('done');
  expect([told.length, stuck]).toEqual([2, 2]);
});

it('other errors, and those of a node that ends, are not repeated', async () => {
  let isEnding = false;
  const clock = hurriedClock();
  const disk = new FullDisk({ clock, isEnding: () => isEnding, onChange: () => undefined, probe: () => undefined });
  await expect(disk.outlived(failing(new RangeError('not a record')))).rejects.toThrow('not a record');
  isEnding = true;
  await expect(disk.outlived(failing(ofCode('EIO')))).rejects.toThrow('the disk');
});

it('work of the writer goes to another node once, and the node counts as full until it has tried its disk again', async () => {
  const told: (string | null)[] = [];
  let probes: number[] = [];
  let elapse: () => void = () => undefined;
  const stopped = {
    after: (_delayMs: number, work: () => void) => {
      elapse = work;
      return {
        [Symbol.dispose]() {
          elapse = () => undefined;
        },
      };
    },
  };
  const disk = new FullDisk({
    clock: stopped,
    isEnding: () => false,
    onChange: (reason) => told.push(reason),
    probe: () => void probes.push(1),
  });
  const yielded = disk.yieldsWork([4, 5], 'no space');
  // what fits is no sign that the work would
  expect(await disk.outlived(failing())).toBe('done');
  expect([told, probes, disk.reason]).toEqual([['no space'], [], 'no space']);
  elapse();
  expect(await yielded).toBe(true);
  await expect.poll(() => disk.reason).toBeNull();
  expect([told, probes]).toEqual([['no space', null], [1]]);
  // a batch with another task is another one
  const again = disk.yieldsWork([5, 6], 'no space');
  disk.endYield();
  expect(await again).toBe(true);
  probes = [];
  elapse();
  expect(probes).toEqual([]);
  expect(await disk.yieldsWork([6, 5], 'no space')).toBe(false);
});

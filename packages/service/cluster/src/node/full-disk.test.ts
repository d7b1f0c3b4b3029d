import { apiError } from '@fossick/base';
import { expect, it } from 'vitest';
import { FullDisk } from './full-disk.js';
import { clock } from './nodes.test-support.js';

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

it('work is repeated until the disk takes it, and both ends of that time are reported', async () => {
  const told: (string | null)[] = [];
  const disk = new FullDisk({ clock, isEnding: () => false, onChange: (reason) => told.push(reason) });
  const words = new Error('No space left on device, tasks');
  const lost = apiError('store_unavailable', 'tasks');
  expect(await disk.outlived(failing(ofCode('ENOSPC'), words, lost, ofCode(28)))).toBe('done');
  expect(told).toEqual(['the disk', null]);
  expect(disk.reason).toBeNull();
});

it('other errors, and those of a node that ends, are not repeated', async () => {
  let isEnding = false;
  const disk = new FullDisk({ clock, isEnding: () => isEnding, onChange: () => undefined });
  await expect(disk.outlived(failing(new RangeError('not a record')))).rejects.toThrow('not a record');
  isEnding = true;
  await expect(disk.outlived(failing(ofCode('EIO')))).rejects.toThrow('the disk');
});

import { type FaultyObjects, type ObjectFaults, outcomeUnder } from '@fossick/objects/faulty-objects.test-support';
import { describe, expect, it } from 'vitest';
import { ObjectLog } from './object-log.js';

describe('a log of objects whose store does not answer', () => {
  it.each<ObjectFaults>([
    { refused: 1 },
    { lost: 1 },
    { late: 1 },
    { isClockStale: true },
  ])('cannot tell what became of an append: %j', async (faults) => {
    const append = (objects: FaultyObjects): Promise<unknown> =>
      new ObjectLog({ objects, name: 'main' }).append(1, Uint8Array.of(1));
    expect(await outcomeUnder(faults, append)).toBe('unknown');
    const read = (objects: FaultyObjects): Promise<unknown> => new ObjectLog({ objects, name: 'main' }).read(1, 1);
    expect(await outcomeUnder(faults, read)).toBeInstanceOf(Error);
  });
});

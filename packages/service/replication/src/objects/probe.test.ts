import { describe, expect, it } from 'vitest';
import { UnsafeStoreError } from '../log-errors.js';
import { ObjectLog } from '../logs/object-log.js';
import { randomOf, VirtualTime } from '../simulation/virtual-time.test-support.js';
import { FaultyObjects, type ObjectFaults } from './faulty-objects.test-support.js';
import { MemoryObjects } from './memory-objects.js';
import { probeObjects } from './probe.js';

async function outcomeOf(faults: ObjectFaults, work: (objects: FaultyObjects) => Promise<unknown>): Promise<unknown> {
  const time = new VirtualTime();
  const random = randomOf(1);
  const objects = new FaultyObjects({ objects: new MemoryObjects(), clock: time, random, faults: () => faults });
  let outcome: unknown = 'none';
  work(objects).then(
    (result) => {
      outcome = result;
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  await time.run(1e6);
  return outcome;
}

describe('the probe', () => {
  const probe = (faults: ObjectFaults): Promise<unknown> =>
    outcomeOf(faults, (objects) => probeObjects(objects, { key: 'probe/1' }));

  it('accepts a store whose creates are atomic', async () => {
    expect(await probe({})).toBeUndefined();
    expect(await probe({ slow: 0.5 })).toBeUndefined();
  });

  it('refuses a store that lets several creates win, and says how many', async () => {
    const outcome = await probe({ twoWin: true });
    expect(outcome).toBeInstanceOf(UnsafeStoreError);
    expect(String(outcome)).toMatch(/of 32 concurrent creates of one object, \d+ succeeded instead of 1/);
  });

  it('passes on that a store does not answer', async () => {
    expect(String(await probe({ refused: 1 }))).toContain('503');
    expect(String(await probe({ isClockStale: true }))).toContain('RequestTimeTooSkewed');
  });
});

describe('a log of objects whose store does not answer', () => {
  it.each<ObjectFaults>([
    { refused: 1 },
    { lost: 1 },
    { late: 1 },
    { isClockStale: true },
  ])('cannot tell what became of an append: %j', async (faults) => {
    const append = (objects: FaultyObjects): Promise<unknown> =>
      new ObjectLog({ objects, name: 'main' }).append(1, Uint8Array.of(1));
    expect(await outcomeOf(faults, append)).toBe('unknown');
    const read = (objects: FaultyObjects): Promise<unknown> => new ObjectLog({ objects, name: 'main' }).read(1, 1);
    expect(await outcomeOf(faults, read)).toBeInstanceOf(Error);
  });
});

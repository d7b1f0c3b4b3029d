import { describe, expect, it } from 'vitest';
import { type ObjectFaults, outcomeUnder } from './faulty-objects.test-support.js';
import { UnsafeStoreError } from './port.js';
import { probeObjects } from './probe.js';

describe('the probe', () => {
  const probe = (faults: ObjectFaults): Promise<unknown> =>
    outcomeUnder(faults, (objects) => probeObjects(objects, { key: 'probe/1' }));

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

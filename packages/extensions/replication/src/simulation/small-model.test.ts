import { describe, expect, it } from 'vitest';
import type { PlantedFault } from './planted-faults.test-support.js';
import { explore } from './small-model.test-support.js';

describe('two writers and a trimmer, in every order of their requests', () => {
  it.each([
    { what: 'four positions', recordCount: 2, trimBefore: 3, mishapMax: 0 },
    { what: 'two positions, a request that fails', recordCount: 1, trimBefore: 2, mishapMax: 1 },
  ])('agree on one log: $what', async ({ what, ...options }) => {
    const { stateCount, endCount, wrong } = await explore(options);
    console.log(`${what}: ${stateCount} states, ${endCount} ends`);
    expect(wrong).toBeUndefined();
    expect(endCount).toBeGreaterThan(50);
  });

  it.each<PlantedFault>(['no floor read', 'plain put', 'trim first'])('show the planted fault: %s', async (planted) => {
    const { wrong } = await explore({ recordCount: 1, trimBefore: 2, mishapMax: 1, planted });
    console.log(`${planted}: ${wrong?.faults[0]} after`, wrong?.schedule);
    expect(wrong).toBeDefined();
  });
});

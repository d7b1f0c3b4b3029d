import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLmdbStore } from '../index.js';
import { walkStoreFile } from './file/store-file.js';
import { checkStore } from './open-store.js';

/** Rows of half a page: thousands of pages, of which the walk looks at the clock after each 65th. */
const ROWS = 5_000;
/** What each look at the clock is told to be later than the one before. */
const STEP_MS = 100;

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-walk-'));
  const store = openLmdbStore({ folder });
  store.transaction((rows) => {
    for (let row = 0; row < ROWS; row++) rows.put('rows', Buffer.from(`row ${row}`), Buffer.alloc(1_900, row));
  });
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes a clock of looks; answers how often it was looked at. */
function clockOfLooks(): () => number {
  let looks = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => looks++ * STEP_MS);
  return () => looks;
}

describe('a walk with a time', () => {
  it('that will not be over in time is given up by its pace where only a whole one counts, and goes on to that time elsewhere', () => {
    let looks = clockOfLooks();
    expect(walkStoreFile(folder, { untilMs: 1_000, onlyWhole: true })).toEqual({ damage: undefined, isWhole: false });
    expect(looks() * STEP_MS).toBeLessThanOrEqual(600);
    looks = clockOfLooks();
    expect(walkStoreFile(folder, { untilMs: 1_000 })).toEqual({ damage: undefined, isWhole: false });
    expect(looks() * STEP_MS).toBeGreaterThan(1_000);
  });

  it('that may be over in time is not given up', () => {
    clockOfLooks();
    expect(walkStoreFile(folder, { untilMs: 20_000, onlyWhole: true })).toEqual({ damage: undefined, isWhole: true });
  });

  it('skips a store that the last process closed properly, but not one that was open when it died', () => {
    let looks = clockOfLooks();
    expect(checkStore(folder, { untilMs: 1_000 }).isWhole).toBe(false);
    expect(looks() * STEP_MS).toBeLessThanOrEqual(600);
    looks = clockOfLooks();
    expect(checkStore(folder, { untilMs: 1_000, isAfterDeath: true }).isWhole).toBe(false);
    expect(looks() * STEP_MS).toBeGreaterThan(1_000);
  });
});

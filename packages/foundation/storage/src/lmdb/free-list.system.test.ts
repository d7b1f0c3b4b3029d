import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { describe, expect, it } from 'vitest';
import { checkStore, openLmdbStore } from '../index.js';

const FIXTURE = fileURLToPath(new URL('free-list.fixture.mjs', import.meta.url));
const BUILT_FILE = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const TRIES = process.env['FOSSICK_TEST_FAULTS'] === 'long' ? 400 : 8;
const seed = TEST_SEED;

/** Random numbers from 0 to 1, the same for the same seed. */
function* numbers(state: number): Generator<number, never> {
  let last = state;
  for (;;) {
    last = (Math.imul(last, 1_664_525) + 1_013_904_223) >>> 0;
    yield last / 2 ** 32;
  }
}

describe.skipIf(!existsSync(BUILT_FILE))(`a wrong byte in the list of free pages, seed ${seed}`, () => {
  it('of an open store is reported as damage by the write that finds it, and by the next start', async () => {
    const random = numbers(seed);
    const tally = { reported: 0, 'told by no write': 0, 'ended by a signal': 0 };
    for (let round = 0; round < TRIES; round++) {
      const folder = mkdtempSync(join(tmpdir(), 'fossick-free-list.'));
      const [place, change] = [random.next().value, 1 + Math.floor(random.next().value * 255)];
      const what = `round ${round}: ${change} at ${place}`;
      try {
        const child = spawnSync(process.execPath, [FIXTURE, BUILT_FILE, folder, String(place), String(change)], {
          encoding: 'utf8',
        });
        if (child.signal !== null) {
          // LMDB followed it: nothing can be told but at the next start, which must not end in the same way
          tally['ended by a signal'] += 1;
          await startAgain(folder);
          continue;
        }
        const reported = JSON.parse(child.stdout) as { code?: unknown; message?: string };
        if (reported.code === undefined) {
          tally['told by no write'] += 1;
          await startAgain(folder);
          continue;
        }
        expect(reported, `${what}\n${child.stderr}`).toMatchObject({
          code: 'invalid_store_file',
          message: expect.stringMatching(/ is damaged: .*page/),
        });
        expect(() => openLmdbStore({ folder }), what).toThrow(/damaged/);
        tally.reported += 1;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    console.log(`seed ${seed}: ${JSON.stringify(tally)}`);
    expect(tally.reported).toBeGreaterThan(0);
  }, 600_000);
});

/** What is whole opens, what is not is refused; either way nobody is ended by it. */
async function startAgain(folder: string): Promise<void> {
  try {
    checkStore(folder, { untilMs: Number.POSITIVE_INFINITY });
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_store_file' });
    return;
  }
  const store = openLmdbStore({ folder });
  for (const { value } of store.table('rows').range({})) expect(value.length).toBeGreaterThan(0);
  await store.close();
}

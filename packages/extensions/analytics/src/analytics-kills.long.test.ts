import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  startServerProcess,
} from '@fossick/server/e2e/server-process.test-support';
import { rounds } from '@fossick/server/reliability/rounds.test-support';
import { expect, test } from 'vitest';

/** What search analytics lose when the server is killed, and the space that they take. */
const isBuilt = existsSync(fileURLToPath(new URL('../../../../apps/server/dist/main.js', import.meta.url)));
const seed = TEST_SEED;
const ROUNDS = Number(process.env['FOSSICK_TEST_ROUNDS'] ?? rounds(4, 50));
/** Records are written each second; a busy machine may be late by another one. */
const LOST_MS = 2_000;
const SIZE_BYTES = 200_000;

interface Totals {
  readonly totals: { readonly requests: number; readonly searches: number };
  readonly dropped: { readonly records: number };
}

test.skipIf(!isBuilt)(
  'a killed server has lost at most the searches of its last second, and continues after its restart',
  async () => {
    console.log(`kills of analytics: seed ${seed}`);
    const folder = newDatabaseFolder();
    const start = () => startServerProcess(folder, ['--search-analytics'], { FOSSICK_TEST_ANALYTICS_PERIOD_MS: '700' });
    let server = await start();
    let random = seed;
    const next = (): number => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return random / 0x8000_0000;
    };
    const count = async (): Promise<number> =>
      (await server.call<Totals>('GET', '/analytics/searches')).body.totals.requests;
    try {
      await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'Heat' }]);
      await server.allTasksDone();
      /** When each answered search came back, over all rounds; the counted ones of a round may end before it. */
      let answered = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const before = await expect.poll(count, { timeout: 20_000 }).toBeGreaterThanOrEqual(0).then(count);
        const times: number[] = [];
        const endMs = Date.now() + 1_500 + next() * 3_000;
        while (Date.now() < endMs) {
          await server.call('POST', '/indexes/films/search', { q: `heat ${answered}` });
          answered += 1;
          times.push(Date.now());
        }
        const killedMs = Date.now();
        await server.kill();
        server = await start();
        const safe = before + times.filter((atMs) => atMs < killedMs - LOST_MS).length;
        await expect.poll(count, { timeout: 20_000 }).toBeGreaterThanOrEqual(safe);
        // the records of the killed process are counted while the server answers already
        let after = -1;
        await expect
          .poll(
            async () => {
              const last = after;
              after = await count();
              return after === last;
            },
            { timeout: 20_000, interval: 500 },
          )
          .toBe(true);
        expect(after).toBeLessThanOrEqual(before + times.length);
        // what was counted once stays so
        await pause(300);
        expect(await count()).toBe(after);
      }
      const { status } = await server.call('POST', '/indexes/films/search', { q: 'heat' });
      expect(status).toBe(200);
    } finally {
      await server.kill();
      removeFolder(folder);
    }
  },
  600_000,
);

test.skipIf(!isBuilt)(
  'the space for records is never exceeded, and what found none is counted as dropped',
  async () => {
    const folder = newDatabaseFolder();
    const options = ['--search-analytics', '--search-analytics-size', String(2 * SIZE_BYTES)];
    const server = await startServerProcess(folder, options);
    try {
      await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'Heat' }]);
      await server.allTasksDone();
      const records = join(folder, 'analytics');
      const bytes = (): number =>
        readdirSync(records).reduce((sum, name) => sum + statSync(join(records, name)).size, 0);
      const query = { indexUid: 'films', q: 'heat '.repeat(30) };
      for (let i = 0; i < 20; i++) {
        const queries = Array.from({ length: 200 }, (_, at) => ({ ...query, q: `${i} ${at} ${query.q}` }));
        expect((await server.call('POST', '/multi-search', { queries })).status).toBe(200);
        expect(bytes()).toBeLessThanOrEqual(SIZE_BYTES + 100);
      }
      await pause(1_500);
      expect(bytes()).toBeLessThanOrEqual(SIZE_BYTES + 100);
      const { body } = await server.call<Totals>('GET', '/analytics/searches');
      expect(body.dropped.records).toBeGreaterThan(0);
      expect(body.dropped.records + body.totals.requests).toBe(4_000);
    } finally {
      await server.kill();
      removeFolder(folder);
    }
  },
  120_000,
);

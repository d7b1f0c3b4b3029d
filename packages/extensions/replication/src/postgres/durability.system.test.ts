import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDurability } from './durability.js';
import { PostgresLog } from './postgres-log.js';
import { describeWithPostgres } from './postgres-server.test-support.js';

const SAFE = {
  version: 'PostgreSQL 15.18 on x86_64',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  synchronous_standby_names: 'b',
};
const check = (settings: Partial<typeof SAFE>): Promise<string[]> =>
  checkDurability({ query: async () => ({ rows: [{ ...SAFE, ...settings }] }) });

describe('the check of durability', () => {
  it('has nothing to say of a server with a synchronous standby', async () => {
    expect(await check({})).toEqual([]);
    expect(await check({ synchronous_commit: 'remote_apply' })).toEqual([]);
  });

  it.each([
    [{ fsync: 'off' }, /fsync = off.* damage the database/],
    [{ synchronous_commit: 'off' }, /synchronous_commit = off.* accepted last/],
    [{ full_page_writes: 'off' }, /full_page_writes = off.* damage/],
    [{ synchronous_standby_names: '' }, /no synchronous standby.* accepted last are lost/],
    [{ synchronous_commit: 'local' }, /synchronous_commit = local.* failover/],
    [{ synchronous_commit: 'remote_write' }, /synchronous_commit = remote_write.* failover/],
  ])('names what follows from %o', async (settings, sentence) => {
    expect(await check(settings)).toEqual([expect.stringMatching(sentence)]);
  });

  it('leaves databases alone that replicate by themselves', async () => {
    for (const version of ['CockroachDB CCL v25.2.0', 'PostgreSQL 11.2-YB-2.25.0.0-b0 on x86_64']) {
      expect(await check({ version, fsync: 'off', synchronous_standby_names: '' })).toEqual([]);
    }
  });
});

describeWithPostgres('the check of durability of a server', (server) => {
  beforeAll(() => server.create());
  afterAll(() => server.remove());

  it('reads the settings that the sessions of the log have', async () => {
    const options = encodeURIComponent('-c synchronous_commit=off');
    const logs = [server.url, `${server.url}?options=${options}`].map((url) => new PostgresLog({ url, name: 'main' }));
    const [plain, late] = await Promise.all(logs.map((log) => log.warnings()));
    // tests run without fsync
    expect(plain).toEqual([expect.stringContaining('fsync = off'), expect.stringContaining('no synchronous standby')]);
    expect(late).toHaveLength(3);
    await Promise.all(logs.map((log) => log.close()));
  });
});

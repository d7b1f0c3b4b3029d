import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresLog } from './postgres-log.js';
import { describeWithPostgres, type PostgresServer } from './postgres-server.test-support.js';

const MANY = 16 << 20;
const KILLS = 15;

/** Appends until `isOver`, as a replica does: what is unknown is sent again for its position. Bodies that were acknowledged. */
async function appendUntil(log: PostgresLog, node: string, isOver: () => boolean): Promise<string[]> {
  const acknowledged: string[] = [];
  let position = 1;
  for (let count = 0; !isOver(); count++) {
    const body = `${node} ${count}`;
    for (let isDone = false; !isDone; ) {
      const outcome = await log.append(position, Buffer.from(body));
      const there = outcome === 'appended' ? body : await bodyAt(log, position);
      if (there === undefined) continue;
      position += 1;
      isDone = there === body;
    }
    acknowledged.push(body);
  }
  return acknowledged;
}

async function bodyAt(log: PostgresLog, position: number): Promise<string | undefined> {
  try {
    const [entry] = await log.read(position, 1);
    return entry && Buffer.from(entry.bytes).toString();
  } catch {
    return undefined;
  }
}

async function bodies(log: PostgresLog): Promise<string[]> {
  return (await log.read(1, MANY)).map(({ bytes }) => Buffer.from(bytes).toString());
}

/** Ends the connections of all logs. How many there were. */
async function killBackends(server: PostgresServer): Promise<number> {
  const { rows } = await server.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fossick'`,
  );
  return rows.length;
}

describeWithPostgres('a log in PostgreSQL whose connections are lost', (server) => {
  beforeAll(() => server.create());
  afterAll(() => server.remove());

  it('has everything that was acknowledged, once and in order, when backends are killed', async () => {
    const logs = ['a', 'b'].map((node) => ({ node, log: new PostgresLog({ url: server.url, name: 'kills' }) }));
    let isOver = false;
    const appending = Promise.all(logs.map(({ node, log }) => appendUntil(log, node, () => isOver)));
    let killed = 0;
    for (let kill = 0; kill < KILLS; ) {
      const count = await killBackends(server);
      killed += count;
      if (count > 0) kill += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    isOver = true;
    const acknowledged = await appending;
    expect(killed).toBeGreaterThanOrEqual(KILLS);
    const all = await bodies(logs[0]!.log);
    expect(new Set(all).size).toBe(all.length);
    for (const [at, { node }] of logs.entries()) {
      expect(all.filter((body) => body.startsWith(node))).toEqual(acknowledged[at]);
    }
    await Promise.all(logs.map(({ log }) => log.close()));
  });

  it('goes on after the server was stopped and started, and watchers get hints again', async () => {
    const log = new PostgresLog({ url: server.url, name: 'restart' });
    let hints = 0;
    const watching = log.watch(1, () => {
      hints += 1;
    });
    expect(await log.append(1, Buffer.from('one'))).toBe('appended');
    for (const [at, mode] of (['fast', 'immediate'] as const).entries()) {
      await server.stop(mode);
      expect(await log.append(2 + at, Buffer.from('lost'))).toBe('unknown');
      await expect(log.read(1, MANY)).rejects.toThrow();
      await expect(log.beat({ node: 'a', epoch: 1, count: 1 })).rejects.toThrow();
      await server.start();
      expect(await bodyAt(log, 2 + at)).toBeUndefined();
      expect(await log.append(2 + at, Buffer.from(mode))).toBe('appended');
    }
    expect(await bodies(log)).toEqual(['one', 'fast', 'immediate']);
    const before = hints;
    // the watcher listens again, now or already
    for (let position = 4; hints === before; position++) {
      expect(await log.append(position, Buffer.from('more'))).toBe('appended');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    watching[Symbol.dispose]();
    await log.close();
  });

  it('does not know about an append whose row is locked for too long, and goes on', async () => {
    const timing = { statementMs: 200, answerMs: 5_000 };
    const log = new PostgresLog({ url: server.url, name: 'locked', timing });
    const other = new PostgresLog({ url: server.url, name: 'locked', timing: { statementMs: 60_000, answerMs: 200 } });
    await log.append(1, Uint8Array.of(1));
    await other.read(1, MANY);
    const holder = server.query(`begin; update fossick_head set floor = floor where log = 'locked';
      select pg_sleep(1.5); commit`);
    while ((await server.query(`select from pg_stat_activity where wait_event = 'PgSleep'`)).rows.length === 0);
    expect(await log.append(2, Uint8Array.of(2))).toBe('unknown');
    expect(await log.read(2, MANY)).toEqual([]);
    // given up by the client: the database does it as soon as it can
    expect(await other.append(2, Uint8Array.of(3))).toBe('unknown');
    await holder;
    while ((await log.read(2, MANY)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await log.append(2, Uint8Array.of(2))).toBe('taken');
    expect([...(await log.read(2, MANY))[0]!.bytes]).toEqual([3]);
    await Promise.all([log.close(), other.close()]);
  });
});

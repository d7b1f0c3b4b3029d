import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeCommitLog } from '../conformance/commit-log.test-support.js';
import { DamagedLogError, TrimmedError } from '../log-errors.js';
import { PostgresLog } from './postgres-log.js';
import { describeWithPostgres } from './postgres-server.test-support.js';

const MANY = 1 << 20;
let logCount = 0;
const newName = (): string => `log-${++logCount}`;

describeWithPostgres('a log in PostgreSQL', (server) => {
  beforeAll(() => server.create());
  afterAll(() => server.remove());
  const open = (name: string): PostgresLog => new PostgresLog({ url: server.url, name });

  it('creates its tables when many nodes start at once', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `start-${at % 3}`);
    const logs = names.map(open);
    expect(await Promise.all(logs.map((log) => log.read(1, MANY)))).toEqual(names.map(() => []));
    await Promise.all(logs.map((log) => log.close()));
    const { rows } = await server.query('select log, position, floor from fossick_head order by log');
    expect(rows).toEqual(['start-0', 'start-1', 'start-2'].map((log) => ({ log, position: '0', floor: '1' })));
  });

  it('needs no right to create tables that are there', async () => {
    await server.query(`create role plain login`);
    await server.query(`grant select, insert, update, delete on fossick_head, fossick_log to plain`);
    const log = new PostgresLog({ url: server.url.replace('postgres@', 'plain@'), name: newName() });
    expect(await log.append(1, Uint8Array.of(1))).toBe('appended');
    await log.close();
  });

  describeCommitLog('in PostgreSQL', async () => {
    const name = newName();
    return { log: open(name), again: async () => open(name) };
  });

  it('lets one of two clients have each of 200 positions', async () => {
    const name = newName();
    const clients = [open(name), open(name)];
    const winners: number[] = [];
    for (let position = 1; position <= 200; position++) {
      const outcomes = await Promise.all(clients.map((log, at) => log.append(position, Uint8Array.of(at))));
      expect([...outcomes].sort()).toEqual(['appended', 'taken']);
      winners.push(outcomes.indexOf('appended'));
    }
    const entries = await clients[0]!.read(1, MANY);
    expect(entries.map(({ bytes }) => bytes[0])).toEqual(winners);
    await Promise.all(clients.map((log) => log.close()));
  });

  it('reads more entries than one statement does, and keeps within the bytes', async () => {
    const log = open(newName());
    for (let position = 1; position <= 600; position++) await log.append(position, new Uint8Array(10).fill(position));
    const lengths = await Promise.all([MANY, 5_999, 6_000, 2_565].map(async (max) => (await log.read(1, max)).length));
    expect(lengths).toEqual([600, 599, 600, 256]);
    expect((await log.read(1, MANY)).map(({ position }) => position)).toEqual(
      Array.from({ length: 600 }, (_, at) => at + 1),
    );
    await log.trim(580);
    const { rows } = await server.query('select count(*) from fossick_log where position < 580 and log = $1', [
      `log-${logCount}`,
    ]);
    expect(rows).toEqual([{ count: '0' }]);
    await log.close();
  });

  it('keeps every byte of entries of 4 MiB, also of those that look like text or SQL', async () => {
    const log = open(newName());
    const all = Uint8Array.from({ length: 4 << 20 }, (_, at) => (at * 31 + (at >> 8)) & 255);
    const text = Buffer.alloc(4 << 20, `\\x00'); drop table fossick_log; --\0`);
    expect(await log.append(1, all)).toBe('appended');
    // a view of a larger buffer
    expect(await log.append(2, text.subarray(1, -1))).toBe('appended');
    expect(await log.append(3, new Uint8Array(0))).toBe('appended');
    const entries = await log.read(1, 16 << 20);
    expect(entries.map(({ bytes }) => bytes.length)).toEqual([4 << 20, (4 << 20) - 2, 0]);
    expect(Buffer.compare(entries[0]!.bytes, all)).toBe(0);
    expect(Buffer.compare(entries[1]!.bytes, text.subarray(1, -1))).toBe(0);
    await log.close();
  });

  it('refuses names that cannot be parts of names of channels', () => {
    for (const name of ['', '.', `a"; drop table fossick_log; --`, 'ä', 'a'.repeat(41)]) {
      expect(() => open(name)).toThrow(RangeError);
    }
  });

  it('gives hints to watchers on other connections', async () => {
    const name = newName();
    const [writer, reader] = [open(name), open(name)];
    let position = 0;
    let hints = 0;
    const hinted = async (more: number): Promise<void> => {
      const wanted = hints + more;
      while (hints < wanted) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const watching = reader.watch(1, () => {
      hints += 1;
    });
    // the first one says that it listens
    await hinted(1);
    for (let at = 0; at < 3; at++) {
      await writer.append(++position, Uint8Array.of(1));
      await hinted(1);
    }
    watching[Symbol.dispose]();
    await Promise.all([writer.close(), reader.close()]);
  });

  it('appends although the database announces nothing', async () => {
    const name = newName();
    // what a database without NOTIFY answers
    await server.query('create schema silent');
    await server.query(`create function silent.pg_notify(text, text) returns void language plpgsql as
      $$ begin raise exception 'no such feature' using errcode = '0A000'; end $$`);
    const path = encodeURIComponent('-c search_path=silent,pg_catalog,public');
    const log = new PostgresLog({ url: `${server.url}?options=${path}`, name });
    for (let position = 1; position <= 3; position++) {
      expect(await log.append(position, Uint8Array.of(1))).toBe('appended');
    }
    await log.close();
  });

  describe('that somebody has changed', () => {
    it('refuses an append when the log was rewound', async () => {
      const name = newName();
      const log = open(name);
      for (let position = 1; position <= 3; position++) await log.append(position, Uint8Array.of(1));
      await server.query('update fossick_head set position = 1 where log = $1', [name]);
      await expect(log.append(4, Uint8Array.of(1))).rejects.toThrow(DamagedLogError);
      await expect(log.append(2, Uint8Array.of(1))).rejects.toThrow(DamagedLogError);
      await expect(log.trim(4)).rejects.toThrow('the log ends at 1');
      await log.close();
    });

    it('reads nothing across a gap', async () => {
      const name = newName();
      const log = open(name);
      for (let position = 1; position <= 4; position++) await log.append(position, Uint8Array.of(1));
      await server.query('delete from fossick_log where log = $1 and position in (2, 4)', [name]);
      await expect(log.read(1, MANY)).rejects.toThrow(new DamagedLogError(2, 'it is missing'));
      await expect(log.read(4, MANY)).rejects.toThrow(new DamagedLogError(4, 'it is missing'));
      await log.close();
    });

    it('says that its head row is gone', async () => {
      const name = newName();
      const log = open(name);
      await log.append(1, Uint8Array.of(1));
      await server.query('delete from fossick_head where log = $1', [name]);
      await expect(log.append(2, Uint8Array.of(1))).rejects.toThrow('the log has no head row');
      await expect(log.read(1, MANY)).rejects.toThrow('the log has no head row');
      await log.close();
    });
  });

  it('goes on with databases that give a transaction up because of another one', async () => {
    const name = newName();
    const options = encodeURIComponent('-c default_transaction_isolation=serializable');
    const clients = Array.from({ length: 4 }, () => new PostgresLog({ url: `${server.url}?options=${options}`, name }));
    for (let position = 1; position <= 25; position++) {
      const outcomes = await Promise.all(clients.map((log, at) => log.append(position, Uint8Array.of(at))));
      expect(outcomes.filter((outcome) => outcome === 'appended')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(3);
      expect((await clients[0]!.read(position, MANY)).map(({ bytes }) => bytes[0])).toEqual([
        outcomes.indexOf('appended'),
      ]);
    }
    await clients[1]!.trim(11);
    await expect(clients[2]!.append(5, Uint8Array.of(1))).rejects.toThrow(TrimmedError);
    await Promise.all(clients.map((log) => log.close()));
  });
});

import { probeObjects, UnsafeStoreError } from '@fossick/objects';
import { S3Objects } from '@fossick/objects/s3';
import { S3Double, type S3Fault } from '@fossick/objects/s3/doubles/s3-double.test-support';
import { describeWithVersitygw } from '@fossick/objects/s3/doubles/versitygw.test-support';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommitLog } from '../port.js';
import { ObjectLog } from './object-log.js';

const MANY = 16 << 20;
/** Entries that each node has acknowledged before the test ends. */
const ACKNOWLEDGED = 20;

/** Appends until a number is acknowledged, as a replica does: what is unknown is sent again for its position. */
async function appendMany(log: CommitLog, node: string): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let position = 1; acknowledged.length < ACKNOWLEDGED; ) {
    const body = `${node} ${acknowledged.length}`;
    const outcome = await log.append(position, Buffer.from(body));
    const there = outcome === 'appended' ? body : await bodyAt(log, position);
    if (there === undefined) continue;
    position += 1;
    if (there === body) acknowledged.push(body);
  }
  return acknowledged;
}

async function bodyAt(log: CommitLog, position: number): Promise<string | undefined> {
  try {
    const [entry] = await log.read(position, 1);
    return entry && Buffer.from(entry.bytes).toString();
  } catch {
    return undefined;
  }
}

/** Every entry that was acknowledged is in the log once, and those of a node are in order. */
async function expectWhole(log: CommitLog, acknowledged: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const all = (await log.read(1, MANY)).map(({ bytes }) => Buffer.from(bytes).toString());
  expect(new Set(all).size).toBe(all.length);
  for (const [node, bodies] of acknowledged) expect(all.filter((body) => body.startsWith(node))).toEqual(bodies);
}

function openLog(server: Pick<S3Double, 'credentials' | 'location'>, answerMs = 15_000): ObjectLog {
  const timing = { answerMs, attempts: 2, pauseMs: 5 };
  const objects = new S3Objects({ location: server.location('p'), credentials: server.credentials, timing });
  return new ObjectLog({ objects, name: 'main' });
}

describe('a log in S3 alone', () => {
  let double: S3Double;
  beforeEach(async () => {
    double = await new S3Double().start();
  });
  afterEach(() => double.stop());

  it('has everything that was acknowledged, once and in order, whatever becomes of requests', async () => {
    const faults: readonly S3Fault[] = [
      { kind: 'lost' },
      { kind: 'late', lateMs: 1_500 },
      { kind: 'refused', status: 503, code: 'SlowDown' },
      { kind: 'refused', status: 500, code: 'InternalError' },
      { kind: 'slow', ms: 30 },
    ];
    let count = 0;
    const met = new Map<string, number>();
    double.faults.of = () => {
      count += 1;
      // one of four requests, each fault in turn
      const fault = count % 4 === 0 ? faults[(count / 4) % faults.length] : undefined;
      if (fault !== undefined) met.set(fault.kind, (met.get(fault.kind) ?? 0) + 1);
      return fault;
    };
    const nodes = ['a', 'b', 'c'];
    const acknowledged = await Promise.all(nodes.map((node) => appendMany(openLog(double, 700), node)));
    double.faults.of = () => undefined;
    await expectWhole(openLog(double), new Map(nodes.map((node, at) => [node, acknowledged[at]!])));
    expect(Math.min(...met.values())).toBeGreaterThan(3);
  });

  it('costs a PUT and a GET for an append, a GET for a look, a PUT for a beat', async () => {
    const log = openLog(double);
    const leader = openLog(double);
    await leader.append(1, new Uint8Array(1));
    await log.read(1, MANY);
    const costOf = async (work: () => Promise<unknown>): Promise<string[]> => {
      const before = double.requests.length;
      await work();
      return double.requests.slice(before).map(({ operation, bytes }) => `${operation} ${bytes}`);
    };
    expect(await costOf(() => log.append(2, new Uint8Array(18_000)))).toEqual(['put 18000', 'get 0']);
    expect(await costOf(() => log.append(2, new Uint8Array(18_000)))).toEqual(['put 18000', 'get 0']);
    // the first look at the end asks what comes after it, and now and then another one does
    expect(await costOf(() => log.read(3, MANY))).toEqual(['get 0', 'get 0', 'list 0']);
    // at the end: the entry that is not there, and the floor
    expect(await costOf(() => log.read(3, MANY))).toEqual(['get 0', 'get 0']);
    // one entry, the next one that is not there, and the floor
    expect(await costOf(() => log.read(2, MANY))).toEqual(Array(3).fill('get 0'));
    // no more than was asked for
    expect(await costOf(() => log.read(1, 1))).toEqual(Array(2).fill('get 0'));
    expect(await costOf(() => log.beat({ node: 'a', epoch: 1, count: 1 }))).toEqual(['put 32']);
    expect(await costOf(() => log.lastBeat())).toEqual(['get 0']);
    const stored = [...double.objects].filter(([key]) => key.includes('/entries/'));
    expect(stored.map(([key, { length }]) => [key.slice(-2), length])).toEqual([
      ['01', 1],
      ['02', 18_000],
    ]);
  });

  it('is not kept in a store that lets two creates win, or that does not know conditions', async () => {
    const { credentials } = double;
    const objects = new S3Objects({ location: double.location('p'), credentials });
    double.faults.twoWin = true;
    await expect(probeObjects(objects, { key: 'probes/one' })).rejects.toThrow(UnsafeStoreError);
    double.faults.twoWin = false;
    double.faults.ignoresConditions = true;
    await expect(probeObjects(objects, { key: 'probes/two' })).rejects.toThrow(UnsafeStoreError);
    double.faults.ignoresConditions = false;
    await probeObjects(objects, { key: 'probes/three' });
    expect(await new ObjectLog({ objects, name: 'main' }).append(1, Uint8Array.of(1))).toBe('appended');
  });
});

describeWithVersitygw('a log in versitygw', (server) => {
  beforeAll(() => server.create());
  afterAll(() => server.remove());

  it('has everything that was acknowledged, once and in order, when the server is killed', async () => {
    const nodes = ['a', 'b'];
    let isOver = false;
    const appending = Promise.all(nodes.map((node) => appendMany(openLog(server, 2_000), node)));
    const done = appending.then((all) => {
      isOver = true;
      return all;
    });
    let kills = 0;
    while (!isOver || kills === 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await server.stop();
      await server.start();
      kills += 1;
    }
    const acknowledged = await done;
    await expectWhole(openLog(server), new Map(nodes.map((node, at) => [node, acknowledged[at]!])));
  });
});

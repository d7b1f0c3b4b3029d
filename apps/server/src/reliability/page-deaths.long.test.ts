import { closeSync, cpSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { Random } from './random-writes.test-support.js';
import { chosenRounds } from './rounds.test-support.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const PAGE_BYTES = 4096;
const HEADER_BYTES = 24;
const LEAF = 2;
/** Starts have no time to look at pages, as with stores of many gigabytes. */
const NO_TIME = { FOSSICK_FAULTS: 'store.look=bug' };
const seed = TEST_SEED;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
async function start(folder: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await startServerProcess(folder, [], env);
  cleanups.push(() => server.kill());
  return server;
}

/** A closed database with index `broken` of many documents and index `whole` of one. */
async function databaseOfTwo(): Promise<string> {
  const folder = newFolder();
  const server = await start(folder);
  for (let part = 0; part < 2; part++) {
    const lines = sampleLines().slice(part * 250, part * 250 + 250);
    await server.call('POST', '/indexes/broken/documents', lines.join('\n'), NDJSON);
    await server.allTasksDone();
  }
  await server.call('POST', '/indexes/whole/documents', [{ id: 1, title: 'wholesome' }]);
  expect((await server.allTasksDone()).filter(({ status }) => status !== 'succeeded')).toEqual([]);
  expect(await server.stop()).toBe(0);
  return folder;
}
function fileOf(folder: string, mark: string): string {
  const files = readdirSync(join(folder, 'indexes')).map((name) => join(folder, 'indexes', name, 'data.mdb'));
  return files.find((file) => readFileSync(file).includes(mark))!;
}
const brokenFile = (folder: string): string => fileOf(folder, 'Alice in Wonderland');

/** Changes pages after the heads in place, as a failing disk would under a running server. */
function damagePages(file: string, change: (page: Buffer, number: number) => void): void {
  const bytes = readFileSync(file);
  const descriptor = openSync(file, 'r+');
  for (let number = 2; number < bytes.length / PAGE_BYTES; number++) {
    const page = bytes.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
    change(page, number);
    writeSync(descriptor, page, 0, PAGE_BYTES, number * PAGE_BYTES);
  }
  closeSync(descriptor);
}

/** Values of leaves that reach far past the end of the file: anyone who reads one is ended by a bus error. */
function makeDeadly(page: Buffer, number: number): void {
  if (page.readBigUInt64LE(0) !== BigInt(number) || page.readUInt16LE(18) !== LEAF) return;
  for (let pointer = 0; pointer < page.readUInt16LE(20); pointer += 2)
    page.writeUInt32LE(0x7fff_fff0, HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + pointer));
}

/** Whether the server outlives that all documents are asked for. */
async function outlives(server: ServerProcess): Promise<boolean> {
  const isAnswered = (path: string): Promise<boolean> =>
    server.call('GET', path).then(
      () => true,
      () => false,
    );
  await isAnswered('/indexes/broken/documents?limit=1000');
  await isAnswered('/indexes/broken/search?limit=1000');
  return isAnswered('/health');
}

const isTold = (server: ServerProcess): boolean =>
  server.output().includes('index `broken` cannot be opened, all others are served');
async function expectOthersServed(server: ServerProcess, mark: number): Promise<void> {
  expect(await server.call('GET', '/indexes/broken/documents')).toMatchObject({
    status: 500,
    body: { code: 'invalid_store_file' },
  });
  await server.call('POST', '/indexes/whole/documents', [{ id: 1, title: 'wholesome', mark }]);
  expect((await server.allTasksDone())[0]).toMatchObject({ indexUid: 'whole', status: 'succeeded' });
  expect(await server.call('POST', '/indexes/whole/search', { q: 'wholesome' })).toMatchObject({
    body: { hits: [{ id: 1, mark }] },
  });
}

describe.skipIf(!isBuilt)(`pages that end the process, seed ${seed}`, () => {
  it('end it three times, then their store is looked at to its end and refused, and all others are served', async () => {
    const folder = await databaseOfTwo();
    damagePages(brokenFile(folder), makeDeadly);
    for (let death = 1; death <= 3; death++) {
      const server = await start(folder, NO_TIME);
      expect(isTold(server)).toBe(false);
      expect(await outlives(server), `start ${death}`).toBe(false);
    }
    for (const again of [4, 5]) {
      const server = await start(folder, NO_TIME);
      expect(isTold(server), `start ${again}`).toBe(true);
      await expectOthersServed(server, again);
      if (again === 4) await server.kill();
      else expect(await server.stop()).toBe(0);
    }
    const server = await start(folder, NO_TIME);
    await server.call('DELETE', '/indexes/broken');
    await server.call('POST', '/indexes/broken/documents', [{ id: 3 }]);
    expect((await server.allTasksDone()).slice(0, 2).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  }, 120_000);

  it('are not suspected of ends that were wanted, nor of those in whose time nobody opened the store', async () => {
    const folder = await databaseOfTwo();
    const told = 'the index `broken` was looked at to its end and is whole: 3 processes in a row ended unexpectedly';
    const run = async (end: 'kill' | 'stop', isOpened: boolean): Promise<boolean> => {
      const server = await start(folder, NO_TIME);
      if (isOpened) expect(await outlives(server)).toBe(true);
      await server[end]();
      return server.output().includes(told);
    };
    for (const end of ['kill', 'stop', 'kill', 'kill'] as const) expect(await run(end, true)).toBe(false);
    expect(await run('kill', false)).toBe(false);
    expect(await run('kill', true)).toBe(false);
    expect(await run('kill', true)).toBe(true);
    expect(await run('stop', true)).toBe(false);
  }, 120_000);

  it('whatever is in them, are told at the next start', async () => {
    const random = new Random(seed);
    const folder = await databaseOfTwo();
    const tally = { 'ended by a signal': 0, 'went on': 0 };
    for (let round = 0; round < chosenRounds(1, 40); round++) {
      const what = `seed ${seed}, round ${round}`;
      const work = newFolder();
      cpSync(folder, work, { recursive: true });
      const server = await start(work);
      // the first round leaves no page but the heads, the others some
      const share = round === 0 ? 1 : 0.3;
      damagePages(brokenFile(work), (page) => {
        if (random.next() < share) page.fill(1 + random.upTo(255), 16);
      });
      const write = sampleLines().slice(0, 300).join('\n');
      await Promise.allSettled([outlives(server), server.call('POST', '/indexes/broken/documents', write, NDJSON)]);
      tally[(await outlives(server)) ? 'went on' : 'ended by a signal'] += 1;
      await server.kill();
      for (const again of [1, 2]) {
        const next = await start(work);
        expect(isTold(next), `${what}, start ${again}`).toBe(true);
        await expectOthersServed(next, again);
        await next.kill();
      }
      removeFolder(work);
    }
    console.log(`seed ${seed}: ${JSON.stringify(tally)}`);
  }, 3_600_000);
});

import { closeSync, cpSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
  type WireAnswer,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { Random } from './random-writes.test-support.js';
import { chosenRounds } from './rounds.test-support.js';
import { PAGE_BYTES, type Place, rowBytes } from './store-rows.test-support.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
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
async function start(folder: string): Promise<ServerProcess> {
  const server = await startServerProcess(folder);
  cleanups.push(() => server.kill());
  return server;
}

/** Index `broken` with many documents, index `whole` with one. */
async function fill(server: ServerProcess): Promise<void> {
  await server.call('PATCH', '/indexes/broken/settings', {
    filterableAttributes: ['genres'],
    sortableAttributes: ['id'],
  });
  for (let part = 0; part < 4; part++) {
    const lines = sampleLines().slice(part * 250, part * 250 + 250);
    await server.call('POST', '/indexes/broken/documents', lines.join('\n'), NDJSON);
    await server.allTasksDone();
  }
  await server.call('POST', '/indexes/whole/documents', [{ id: 1, title: 'wholesome' }]);
  expect((await server.allTasksDone()).filter(({ status }) => status !== 'succeeded')).toEqual([]);
}
function fileOf(folder: string, mark: string): string {
  const files = readdirSync(join(folder, 'indexes')).map((name) => join(folder, 'indexes', name, 'data.mdb'));
  return files.find((file) => readFileSync(file).includes(mark))!;
}

/** Requests that only read, each with what is compared of its answer. */
const READS: readonly (readonly [path: string, body: object | undefined, fields: readonly string[]])[] = [
  ...['the', 'a', 'love', 'war of', 'star', 'dark night', 'q', 'comedy', ''].map(
    (q) =>
      ['search', { q, limit: 60, facets: ['genres'] }, ['hits', 'estimatedTotalHits', 'facetDistribution']] as const,
  ),
  ['search', { q: '', filter: 'genres = Drama', sort: ['id:desc'], limit: 200 }, ['hits', 'estimatedTotalHits']],
  ['documents?limit=1000', undefined, ['results', 'total']],
  ['facet-search', { facetName: 'genres', facetQuery: 'a' }, ['facetHits']],
];
async function ask(server: ServerProcess, at: number): Promise<WireAnswer<Record<string, unknown>>> {
  const [path, body, fields] = READS[at]!;
  const answer = await server.call<Record<string, unknown>>(
    body === undefined ? 'GET' : 'POST',
    `/indexes/broken/${path}`,
    body,
  );
  if (answer.status !== 200) return answer;
  return { status: 200, body: Object.fromEntries(fields.map((field) => [field, answer.body[field]])) };
}

/** Changes a byte of a file in place, as a failing disk would under the running server. */
function flip(file: string, at: number, by: number): void {
  const byte = readFileSync(file)[at]! ^ by;
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Uint8Array.of(byte), 0, 1, at);
  closeSync(descriptor);
}

const refusal = { status: 500, body: { code: 'invalid_store_file' } };

describe.skipIf(!isBuilt)(`wrong bytes, seed ${seed}`, () => {
  it('in rows of an index are reported when they are read; all other answers are right, and the queue goes on', async () => {
    const random = new Random(seed);
    const folder = newFolder();
    const first = await start(folder);
    await fill(first);
    const expected: WireAnswer<unknown>[] = [];
    for (let at = 0; at < READS.length; at++) expected.push(await ask(first, at));
    await first.stop();
    let [refused, answered, failed, done] = [0, 0, 0, 0];
    for (let round = 0; round < chosenRounds(2, 60); round++) {
      const work = newFolder();
      cpSync(folder, work, { recursive: true });
      const server = await start(work);
      const file = fileOf(work, 'Alice in Wonderland');
      const places = rowBytes(file);
      const flips = Array.from({ length: 1 + random.upTo(30) }, () => {
        const [from, to] = random.of(places) as Place;
        return [from + random.upTo(to - from), 1 + random.upTo(255)] as const;
      });
      for (const [at, by] of flips) flip(file, at, by);
      for (const at of READS.keys()) {
        const answer = await ask(server, at);
        const what = `seed ${seed}, round ${round}, read ${at}`;
        if (answer.status === 200) expect(answer, what).toEqual(expected[at]);
        else expect(answer, what).toMatchObject(refusal);
        if (answer.status === 200) answered += 1;
        else refused += 1;
      }
      // changes of every kind, among them ones that read all documents and ones that merge segments
      await server.call('PUT', '/indexes/broken/documents', sampleLines().slice(0, 300).join('\n'), NDJSON);
      await server.call('POST', '/indexes/broken/documents/delete', { filter: 'genres = Western' });
      await server.call('PATCH', '/indexes/broken/settings', { searchableAttributes: ['title'] });
      await server.call('POST', '/indexes/broken/compact');
      await server.call('POST', '/indexes/whole/documents', [{ id: 1, title: 'wholesome', round }]);
      const tasks = (await server.allTasksDone()).slice(0, 5);
      for (const { indexUid, type, status, error } of tasks) {
        const what = `seed ${seed}, round ${round}, ${type}: ${error?.message}`;
        if (indexUid === 'whole' || status === 'succeeded') expect(status, what).toBe('succeeded');
        else expect(error?.code, what).toBe('invalid_store_file');
        if (status === 'succeeded') done += 1;
        else failed += 1;
      }
      expect((await server.call('POST', '/indexes/whole/search', { q: 'wholesome' })).body).toMatchObject({
        hits: [{ id: 1, round }],
      });
      expect(await server.stop()).toBe(0);
      removeFolder(work);
    }
    console.log(`seed ${seed}: ${answered} reads right, ${refused} refused; ${done} tasks done, ${failed} failed`);
    expect(refused).toBeGreaterThan(0);
  }, 3_600_000);

  it('anywhere in the files of a database are reported at start, or change nothing', async () => {
    const random = new Random(seed);
    const folder = newFolder();
    const first = await start(folder);
    await fill(first);
    const expected = await Promise.all(READS.map((_, at) => ask(first, at)));
    await first.stop();
    const tally = { 'start refused': 0, 'index refused': 0, unchanged: 0 };
    for (let round = 0; round < chosenRounds(3, 150); round++) {
      const work = newFolder();
      cpSync(folder, work, { recursive: true });
      const file = random.of([
        fileOf(work, 'Alice in Wonderland'),
        fileOf(work, 'Alice in Wonderland'),
        join(work, random.of(['tasks', 'auth', 'instance']), 'data.mdb'),
      ]);
      const bytes = readFileSync(file);
      const at =
        random.next() < 0.5
          ? random.upTo(bytes.length)
          : random.upTo(bytes.length / PAGE_BYTES) * PAGE_BYTES + random.upTo(80);
      bytes[at]! ^= 1 + random.upTo(255);
      writeFileSync(file, bytes);
      const what = `seed ${seed}, round ${round}, byte ${at} of ${file.slice(work.length)}`;
      const server = await start(work).catch((error: Error) => error);
      if (server instanceof Error) {
        expect(server.message, what).toMatch(/code 1:[\s\S]*store .* cannot be opened: .*damaged/);
        tally['start refused'] += 1;
        continue;
      }
      const isTold = server.output().includes('index `broken` cannot be opened, all others are served');
      for (const [place, right] of expected.entries()) {
        if (isTold) expect(await ask(server, place), what).toMatchObject(refusal);
        else expect(await ask(server, place), what).toEqual(right);
      }
      await server.call('POST', '/indexes/broken/documents', sampleLines().slice(0, 40).join('\n'), NDJSON);
      await server.call('POST', '/indexes/whole/documents', [{ id: 2 }]);
      const [whole, broken] = await server.allTasksDone();
      expect([broken?.status, whole?.status], what).toEqual([isTold ? 'failed' : 'succeeded', 'succeeded']);
      expect(await server.stop(), what).toBe(0);
      tally[isTold ? 'index refused' : 'unchanged'] += 1;
      removeFolder(work);
    }
    console.log(`seed ${seed}: ${JSON.stringify(tally)}`);
  }, 3_600_000);
});

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from '@fossick/server/e2e/server-process.test-support';
import { complaints, isBuilt, launch } from '@fossick/server/reliability/launch.test-support';
import { Random } from '@fossick/server/reliability/random-writes.test-support';
import { chosenRounds, isLongRun, rounds } from '@fossick/server/reliability/rounds.test-support';
import { extract, pack } from 'tar-stream';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';

const KINDS = ['dump', 'snapshot'] as const;
type Kind = (typeof KINDS)[number];

const random = new Random(TEST_SEED);
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
const copiesIn = (folder: string): string[] => [
  ...['--dump-dir', join(folder, 'dumps')],
  ...['--snapshot-dir', join(folder, 'snapshots')],
];
async function start(folder: string, options: readonly string[] = []): Promise<ServerProcess> {
  const server = await startServerProcess(join(folder, 'data.ms'), [...copiesIn(folder), ...options]);
  cleanups.push(() => server.kill());
  return server;
}
async function countOf(server: ServerProcess): Promise<Record<string, number>> {
  const { body } = await server.call<{ indexes: Record<string, { numberOfDocuments: number }> }>('GET', '/stats');
  return Object.fromEntries(
    Object.entries(body.indexes).map(([uid, { numberOfDocuments }]) => [uid, numberOfDocuments]),
  );
}
/** Names in a folder next to those of finished copies. */
const leftIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !/^[^.].*\.(dump|snapshot)$/.test(name)) : [];

/** Asks for copies until one is under way: a small one may be over before one looks. */
async function untilCopyBegins(server: ServerProcess, folder: string): Promise<void> {
  for (;;) {
    await Promise.all([server.call('POST', '/dumps'), server.call('POST', '/snapshots')]);
    for (let look = 0; look < 200; look++) {
      if (leftIn(join(folder, 'dumps')).length + leftIn(join(folder, 'snapshots')).length > 0) return;
      await pause(2);
    }
  }
}

/** Made once: a dump and a snapshot of two indexes. */
const files = {} as Record<Kind, string>;
const whole: Record<string, number> = { movies: 1_200, notes: 3 };
let source: string;

beforeAll(async () => {
  if (!isBuilt) return;
  source = newDatabaseFolder();
  const server = await startServerProcess(join(source, 'data.ms'), copiesIn(source));
  const headers = { 'content-type': 'application/x-ndjson' };
  await server.call('POST', '/indexes/movies/documents', sampleLines().slice(0, whole.movies).join('\n'), headers);
  await server.call('POST', '/indexes/notes/documents', [{ id: 1 }, { id: 2 }, { id: 3 }]);
  await server.allTasksDone();
  await server.call('POST', '/dumps');
  await server.call('POST', '/snapshots');
  await server.allTasksDone();
  await server.stop();
  files.dump = join(source, 'dumps', readdirSync(join(source, 'dumps'))[0]!);
  files.snapshot = join(source, 'snapshots', 'data.ms.snapshot');
  return () => removeFolder(source);
});

/** Starts once more with the same command line; what is served is all of it. */
async function expectWhole(folder: string, kind: Kind): Promise<void> {
  const server = await start(folder, [`--import-${kind}`, files[kind], `--ignore-${kind}-if-db-exists`]);
  expect(await countOf(server)).toEqual(whole);
  expect(readdirSync(join(folder, 'data.ms')).filter((name) => name.startsWith('import'))).toEqual([]);
  await server.stop();
  if (!isLongRun) return;
  // and what is on disk is a database by itself
  const again = await start(folder);
  expect(await countOf(again)).toEqual(whole);
  await again.kill();
}

/** The archive with other bytes in the stores whose path begins so. */
async function repacked(archive: Buffer, place: string, bytes: Buffer): Promise<Buffer> {
  const [from, to] = [extract(), pack()];
  from.end(gunzipSync(archive));
  for await (const entry of from) {
    const { name, type } = entry.header;
    const parts: Buffer[] = [];
    for await (const part of entry as AsyncIterable<Buffer>) parts.push(part);
    const isMeant = name.startsWith(place) && name.endsWith('data.mdb');
    to.entry({ name, type: type ?? 'file' }, isMeant ? bytes : Buffer.concat(parts));
  }
  to.finalize();
  const packed: Buffer[] = [];
  for await (const part of to as AsyncIterable<Buffer>) packed.push(part);
  return gzipSync(Buffer.concat(packed));
}

describe.skipIf(!isBuilt)('an import that is killed', () => {
  for (const kind of KINDS) {
    test(`of a ${kind}, before and after each of its renames, is made anew or finished`, async () => {
      // the first rename makes it whole, the others move its entries to their place
      const points = ['rename=kill@1', 'renamed=kill@3', 'renamed=kill@1', 'rename=kill@2', 'renamed=kill@5'];
      for (const fault of points.slice(0, rounds(2, points.length))) {
        const folder = newFolder();
        const importing = await launch(join(folder, 'data.ms'), [`--import-${kind}`, files[kind]], {
          env: { FOSSICK_FAULTS: fault },
        });
        cleanups.push(() => void importing.child.kill('SIGKILL'));
        expect((await importing.ended).code, fault).toBe(null);
        await expectWhole(folder, kind);
      }
    });

    test.skipIf(!isLongRun)(`of a ${kind}, at any time, is never served in part`, async () => {
      for (let round = 0; round < chosenRounds(1, 30); round++) {
        const folder = newFolder();
        const afterMs = 200 + random.upTo(1_500);
        console.info(`partial-import: ${kind} killed after ${afterMs} ms`);
        const importing = await launch(join(folder, 'data.ms'), [`--import-${kind}`, files[kind]]);
        await pause(afterMs);
        importing.child.kill('SIGKILL');
        await importing.ended;
        await expectWhole(folder, kind);
      }
    });

    test(`a truncated ${kind} is refused with a line, and nothing is touched`, async () => {
      const bytes = readFileSync(files[kind]);
      for (const share of [0.9999, 0, 0.3, 0.95].slice(0, rounds(1, 4))) {
        const folder = newFolder();
        const file = join(folder, `cut.${kind}`);
        writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length * share)));
        const { code, stderr } = await (await launch(join(folder, 'data.ms'), [`--import-${kind}`, file])).ended;
        expect(code).toBe(1);
        expect(complaints(stderr)).toEqual([expect.stringContaining(`the ${kind} ${file} cannot be imported`)]);
        expect(readdirSync(folder)).toEqual([`cut.${kind}`]);
      }
    });
  }

  test.each([
    ['the keys are noise', 'auth/data.mdb', Buffer.alloc(20_000, 7)],
    ['an index is empty', 'indexes/', Buffer.alloc(0)],
    ['an index is noise', 'indexes/', Buffer.alloc(20_000, 7)],
  ])('a snapshot of which %s is refused with a line, and nothing is touched', async (_, place, bytes) => {
    const folder = newFolder();
    const file = join(folder, 'wrong.snapshot');
    writeFileSync(file, await repacked(readFileSync(files.snapshot), place, bytes));
    const { code, stderr } = await (await launch(join(folder, 'data.ms'), ['--import-snapshot', file])).ended;
    expect(code).toBe(1);
    expect(complaints(stderr)).toEqual([expect.stringContaining(`the snapshot ${file} cannot be imported`)]);
    expect(readdirSync(folder)).toEqual(['wrong.snapshot']);
  });

  test('the next start removes the files of a dump or snapshot that was killed while it was written', async () => {
    for (let round = 0; round < chosenRounds(1, 20); round++) {
      const folder = newFolder();
      const server = await start(folder, ['--import-snapshot', files.snapshot]);
      await untilCopyBegins(server, folder);
      if (isLongRun) await pause(random.upTo(200));
      await server.kill();
      const again = await start(folder);
      const tasks = await again.allTasksDone();
      expect(tasks.every(({ status }) => status === 'succeeded')).toBe(true);
      for (const copies of ['dumps', 'snapshots']) expect(leftIn(join(folder, copies))).toEqual([]);
      await again.kill();
    }
  });
});

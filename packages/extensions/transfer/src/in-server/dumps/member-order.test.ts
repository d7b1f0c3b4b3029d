import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { afterEach, expect, it } from 'vitest';

const ROUNDS = 25;
const DOCUMENT_IDS = 40;
const NAMES = ['a', 'b', 'c', 'd', 'e', '12', 'f g', 'a.b', '__proto__', '3'];
const seed = TEST_SEED;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
async function start(folder: string, options: readonly string[]): Promise<TestServer> {
  const server = await startTestServer(join(folder, 'data'), options);
  cleanups.push(() => server.stop());
  return server;
}

let state = seed;
function below(bound: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
}
/** The JSON text of a document whose members have an order of their own. */
function randomDocument(): string {
  const members = ['id', ...NAMES.filter(() => below(5) < 3)];
  for (let at = members.length - 1; at > 0; at--) {
    const other = below(at + 1);
    [members[at], members[other]] = [members[other]!, members[at]!];
  }
  const randomValue = (name: string): unknown => {
    if (name === 'id') return below(DOCUMENT_IDS);
    return below(3) > 0 ? below(100) : { z: below(9), y: below(9), [NAMES[below(5)]!]: 1 };
  };
  return `{${members.map((name) => `${JSON.stringify(name)}:${JSON.stringify(randomValue(name))}`).join(',')}}`;
}
async function writeRandomly(server: TestServer): Promise<void> {
  await server.call('POST', '/indexes', { uid: 'x', primaryKey: 'id' });
  const headers = { 'content-type': 'application/json' };
  for (let round = 0; round < ROUNDS; round++) {
    const documents = Array.from({ length: 1 + below(8) }, randomDocument).join(',');
    await server.call(below(2) === 0 ? 'POST' : 'PUT', '/indexes/x/documents', `[${documents}]`, headers);
    if (below(3) === 0)
      await server.call('POST', '/indexes/x/documents/delete-batch', [below(DOCUMENT_IDS), below(DOCUMENT_IDS)]);
    if (below(5) === 0) await server.allTasksDone();
  }
  await server.allTasksDone();
}
/** The documents as text, as each route shows them. */
async function textsOf(server: TestServer): Promise<readonly string[]> {
  const text = async (path: string, init?: RequestInit): Promise<string> =>
    (await fetch(`${server.url}${path}`, init)).text();
  const listed = await text('/indexes/x/documents?limit=1000');
  const { results } = JSON.parse(listed) as { results: { id: number }[] };
  const single = await Promise.all(results.map(({ id }) => text(`/indexes/x/documents/${id}`)));
  const headers = { 'content-type': 'application/json' };
  const found = await text('/indexes/x/search', { method: 'POST', headers, body: '{"limit":1000}' });
  const hits = found.slice(0, found.indexOf('],"query"'));
  expect(hits.length).toBeGreaterThan(100);
  return [listed, ...single, ...hits.split('},{')];
}

it(`members keep their order through a dump, seed ${seed}`, async () => {
  const [from, to] = [newDatabaseFolder(), newDatabaseFolder()];
  cleanups.push(
    () => removeFolder(from),
    () => removeFolder(to),
  );
  const server = await start(from, ['--dump-dir', join(from, 'dumps')]);
  await writeRandomly(server);
  await server.call('POST', '/dumps');
  const [dumped] = await server.allTasksDone();
  const texts = await textsOf(server);
  await server.stop();
  const file = join(from, 'dumps', `${String(dumped!.details!.dumpUid)}.dump`);
  const copy = await start(to, ['--import-dump', file]);
  expect(await textsOf(copy)).toEqual(texts);
});

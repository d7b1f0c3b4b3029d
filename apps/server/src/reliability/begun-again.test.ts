import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { FILM_SETTINGS, filmOf, type ReadRequest, validRequests } from './valid-requests.test-support.js';

const seed = TEST_SEED;
const REQUESTS = Number(process.env['FOSSICK_TEST_ROUNDS'] ?? 300);
const DOCUMENTS = 400;

let folder = '';
/** Whatever looks at the clock there is begun again in a search thread. */
let dropping: TestServer;
/** Has no search threads. */
let plain: TestServer;

beforeAll(async () => {
  folder = newDatabaseFolder();
  dropping = await startTestServer(join(folder, 'a'), ['--search-budget-ms', '0', '--search-threads', '1']);
  plain = await startTestServer(join(folder, 'b'), ['--search-threads', '0']);
  for (const server of [dropping, plain]) {
    await server.call('POST', '/indexes', { uid: 'films', primaryKey: 'id' });
    await server.call('PATCH', '/indexes/films/settings', FILM_SETTINGS);
    await server.call(
      'POST',
      '/indexes/films/documents',
      Array.from({ length: DOCUMENTS }, (_, id) => filmOf(id)),
    );
    await server.allTasksDone();
  }
  // a long body starts the thread
  const { status } = await dropping.call('POST', '/indexes/films/search', `{"q":"dark"${' '.repeat(400_000)}}`, {
    'content-type': 'application/json',
  });
  expect(status).toBe(200);
});
afterAll(async () => {
  await dropping.stop();
  await plain.stop();
  removeFolder(folder);
});

async function answered(server: TestServer, { path, body }: ReadRequest): Promise<{ status: number; text: string }> {
  const { status, body: answer } = await server.call('POST', path, body);
  const text = JSON.stringify(answer, (name, value: unknown) =>
    ['processingTimeMs', 'requestUid'].includes(name) ? undefined : value,
  );
  return { status, text };
}

it(`a request that is dropped and begun again gets the answer of one that is not (seed ${seed})`, async () => {
  const next = validRequests(seed, DOCUMENTS);
  let validCount = 0;
  for (let at = 0; at < REQUESTS; at++) {
    const request = next();
    const [found, expected] = await Promise.all([answered(dropping, request), answered(plain, request)]);
    if (expected.status === 200) validCount += 1;
    expect({ request, ...found }).toEqual({ request, ...expected });
  }
  expect(validCount).toBeGreaterThan(REQUESTS * 0.7);
});

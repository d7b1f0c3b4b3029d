/** While random requests that read are under way, drawn from the document of the API, /health never waits for long, whatever they are. */
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { coreShare, type LongestWait, longestWait, type Probe } from './probe.test-support.js';
import { chosenRounds } from './rounds.test-support.js';
import { FILM_SETTINGS, filmOf, type ReadRequest, validRequests } from './valid-requests.test-support.js';

const seed = TEST_SEED;
const DOCUMENTS = 40_000;
const BATCH = 5_000;
const REQUESTS = chosenRounds(1_000, 10_000);
/** Requests that are measured together. */
const PIECE = 50;
/** What a probe may wait, where it has a core. */
const WAIT_MS = 100;

const health: Probe = ({ call }) => call('GET', '/health');

let folder = '';
let server: ServerProcess;

describe.skipIf(!isBuilt)(`random requests that read (seed ${seed})`, () => {
  beforeAll(async () => {
    folder = newDatabaseFolder();
    server = await startServerProcess(folder, []);
    await server.call('POST', '/indexes', { uid: 'films', primaryKey: 'id' });
    await server.call('PATCH', '/indexes/films/settings', FILM_SETTINGS);
    for (let from = 0; from < DOCUMENTS; from += BATCH)
      await server.call(
        'POST',
        '/indexes/films/documents',
        Array.from({ length: BATCH }, (_, at) => filmOf(from + at)),
      );
    await server.allTasksDone();
  }, 600_000);
  afterAll(async () => {
    await server.kill();
    removeFolder(folder);
  });

  it('hold up no other request', { timeout: 6 * 3_600_000 }, async () => {
    const next = validRequests(seed, DOCUMENTS);
    const late: { readonly wait: LongestWait; readonly slowest: ReadRequest | undefined }[] = [];
    let validCount = 0;
    for (let done = 0; done < REQUESTS; done += PIECE) {
      let [slowest, slowestMs]: [ReadRequest | undefined, number] = [undefined, 0];
      const piece = async (): Promise<void> => {
        for (let at = 0; at < PIECE; at++) {
          const request = next();
          const startedMs = performance.now();
          const { status } = await server.call('POST', request.path, request.body);
          expect(status).toBeLessThan(500);
          if (status === 200) validCount += 1;
          const tookMs = performance.now() - startedMs;
          if (tookMs > slowestMs) [slowest, slowestMs] = [request, tookMs];
        }
      };
      const share = coreShare();
      const wait = await longestWait(server, piece(), [health]);
      if (wait.servedMs > WAIT_MS / share) late.push({ wait, slowest });
    }
    console.log(`${validCount} of ${REQUESTS} requests were valid`);
    expect(validCount).toBeGreaterThan(REQUESTS * 0.7);
    expect(late).toEqual([]);
  });
});

import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';

const PATIENT = { timeout: 120_000 };
let folder = '';
let server: ServerProcess | undefined;

afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** Runs first in every thread of the server; `isMainThread` is at hand. Stray faults come a moment after the start. */
function strayFaults(code: string): Record<string, string> {
  const script = `import { isMainThread } from 'node:worker_threads'; ${code}`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** How many faults the log has. */
const faultCount = (): number => [...server!.output().matchAll(/^\S+ ERROR /gm)].length;

/** The same process takes a task and does it. */
async function expectToWork(): Promise<void> {
  const before = server!.pid;
  expect((await server!.call('POST', '/indexes/films/documents', [{ id: 1 }])).status).toBe(202);
  const tasks = await server!.allTasksDone();
  expect(tasks.map(({ status }) => status)).toEqual(tasks.map(() => 'succeeded'));
  expect((await server!.call('GET', '/health')).status).toBe(200);
  expect(() => process.kill(before, 0)).not.toThrow();
}

it.each([
  ['a rejection nobody waits for', "process.on('SIGUSR2', () => { void Promise.reject(new Error('stray')); });"],
  ['an exception out of a timer', "process.on('SIGUSR2', () => setTimeout(() => { throw new Error('stray'); }, 1));"],
  ['a thrown undefined', "process.on('SIGUSR2', () => setImmediate(() => { throw undefined; }));"],
])('%s does not end the process', async (_name, code) => {
  folder = newDatabaseFolder();
  server = await startServerProcess(folder, [], strayFaults(`if (isMainThread) ${code}`));
  for (let round = 0; round < 3; round++) {
    process.kill(server.pid, 'SIGUSR2');
    await expect.poll(faultCount, PATIENT).toBe(round + 1);
  }
  await expectToWork();
  expect(await server.stop()).toBe(0);
});

it.each([
  ['a rejection', "void Promise.reject(new Error('stray ' + data));"],
  ['an exception', "setTimeout(() => { throw new Error('stray ' + data); }, 1);"],
])('%s in the writer thread ends no task', async (_name, code) => {
  folder = newDatabaseFolder();
  const listening = `const heard = new BroadcastChannel('stray'); heard.unref(); heard.onmessage = ({ data }) => { ${code} };`;
  const telling = "{ let round = 0; process.on('SIGUSR2', () => new BroadcastChannel('stray').postMessage(round++)); }";
  server = await startServerProcess(folder, [], strayFaults(`if (isMainThread) ${telling} else { ${listening} }`));
  for (let round = 0; round < 2; round++) {
    await expectToWork();
    process.kill(server.pid, 'SIGUSR2');
    await expect.poll(() => server!.output(), PATIENT).toContain(`stray ${round}`);
  }
  await expectToWork();
});

it.runIf(HAS_COPIES)('a scheduled snapshot that cannot be registered ends nothing', async () => {
  folder = newDatabaseFolder();
  const options = ['--schedule-snapshot', '1', '--snapshot-dir', join(folder, 'snapshots')];
  server = await startServerProcess(folder, options);
  await server.call('PATCH', '/experimental-features', { taskQueueCompactionRoute: true });
  // from here on the log takes no task
  expect((await server.call('POST', '/tasks/compact')).status).toBe(200);
  await expect.poll(() => server!.output(), PATIENT).toContain('ERROR The task queue was compacted');
  expect((await server.call('GET', '/health')).status).toBe(500);
  expect((await server.call('GET', '/version')).status).toBe(200);
});

it('a task may have more keys than 16 bits count, in its content, its details and its batch', async () => {
  folder = newDatabaseFolder();
  server = await startServerProcess(folder);
  const synonyms = Object.fromEntries(Array.from({ length: 70_000 }, (_, at) => [`word${at}`, [`other${at}`]]));
  const answer = await server.call('PATCH', '/indexes/films/settings', { synonyms });
  expect(answer.status).toBe(202);
  const [task] = await server.allTasksDone();
  expect(task!.status).toBe('succeeded');
  expect(Object.keys(task!.details!['synonyms'] as object)).toHaveLength(70_000);
  const batch = await server.call<{ details: { synonyms: object } }>('GET', '/batches/0');
  expect(Object.keys(batch.body.details.synonyms)).toHaveLength(70_000);
});

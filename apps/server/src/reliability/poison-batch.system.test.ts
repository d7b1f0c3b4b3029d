import { afterEach, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WireAnswer,
  type WireTask,
} from '../e2e/server-process.test-support.js';
import { isLongRun } from './rounds.test-support.js';

const NO_WORK = ['--experimental-max-number-of-batched-tasks', '0'];
const POISON = 'poison';
const PATIENT = { timeout: 120_000 };

let folder = '';
let server: ServerProcess | undefined;

afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** Registers, without doing any of it, five additions to one index of which one is poisonous, and one to another. */
async function registerTasks(): Promise<void> {
  folder = newDatabaseFolder();
  server = await startServerProcess(folder, NO_WORK);
  for (let id = 0; id < 5; id++) {
    const query = id === 2 ? `?customMetadata=${POISON}` : '';
    expect((await server.call('POST', `/indexes/films/documents${query}`, [{ id }])).status).toBe(202);
  }
  await server.call('POST', '/indexes/others/documents', [{ id: 9 }]);
  await server.kill();
  server = undefined;
}

/** Starts the server again and again until it lives; answers how often it died. Waits for trials are much shorter than the real ones. */
async function startUntilItLives(faults: string): Promise<number> {
  for (let deaths = 0; deaths < 20; deaths++) {
    try {
      const env = { FOSSICK_FAULTS: faults, FOSSICK_TEST_TRIAL_PAUSE_MS: '5' };
      server = await startServerProcess(folder, [], env);
      await server.allTasksDone();
      return deaths;
    } catch {
      await server?.kill();
      server = undefined;
    }
  }
  throw new Error('the server dies of its queue without end');
}

/** `tries`: of the poisonous task. */
async function expectAllButThePoison(tries: number): Promise<void> {
  const tasks = (await server!.allTasksDone()).toReversed();
  expect(tasks.map(({ status }) => status)).toEqual([
    'succeeded',
    'succeeded',
    'failed',
    'succeeded',
    'succeeded',
    'succeeded',
  ]);
  expect(tasks[2]!.error).toMatchObject({ code: 'internal', message: expect.stringContaining(`tried ${tries} times`) });
  const held = (await server!.call('GET', '/indexes/films/documents')) as WireAnswer<{ results: { id: number }[] }>;
  expect(held.body.results.map(({ id }) => id)).toEqual([0, 1, 3, 4]);
}

it.skipIf(!isLongRun)(
  'a task that kills the process fails after a batch, two tries alone and ten trials; the tasks with it and after it are done',
  async () => {
    await registerTasks();
    expect(await startUntilItLives(`writer.death:${POISON}=kill@1+`)).toBe(13);
    await expectAllButThePoison(13);
    // it is forgotten: the next start has nothing to repeat
    await server!.stop();
    server = await startServerProcess(folder);
    await expectAllButThePoison(13);
  },
);

it('a task that ends the writer thread fails after a batch and three tries alone; the process lives on', async () => {
  await registerTasks();
  expect(await startUntilItLives(`writer.death:${POISON}=thread@1+`)).toBe(0);
  await expectAllButThePoison(4);
});

it('stops that an operator wants are not the fault of what runs', async () => {
  await registerTasks();
  for (let round = 0; round < 4; round++) {
    // the poisonous task waits in the writer when the signal comes
    server = await startServerProcess(folder, [], { FOSSICK_FAULTS: `writer.death:${POISON}=hang` });
    await expect.poll(() => server!.output(), PATIENT).toContain('fault point writer.death: hang');
    process.kill(server.pid, 'SIGINT');
    await server.stop();
  }
  server = await startServerProcess(folder);
  const tasks: readonly WireTask[] = await server.allTasksDone();
  expect(tasks.map(({ status, error }) => [status, error])).toEqual(tasks.map(() => ['succeeded', null]));
});

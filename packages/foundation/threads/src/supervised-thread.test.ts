import { expect, it } from 'vitest';
import { SupervisedThread } from './supervised-thread.js';
import { reportOf, WatchedThread } from './watched-thread.js';

const program = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads'; ${code}`)}`,
  );
/** Dies until its third start, and ends when it gets a message. */
const MORTAL = program(`
  if (Atomics.add(new Int32Array(workerData), 0, 1) < 2) process.exit(1);
  parentPort.once('message', () => parentPort.close());
  parentPort.postMessage('alive');`);

it('a thread that ends by itself starts again, each time a little later, until it is stopped', async () => {
  const told: unknown[] = [];
  const starts = new Int32Array(new SharedArrayBuffer(4));
  const alive = new Promise<void>((resolve) => {
    const thread: SupervisedThread<string, string> = new SupervisedThread({
      start: () => ({
        script: MORTAL,
        start: starts.buffer,
        onReport: (report: string) => {
          told.push(report);
          thread.proveWell();
          void thread.stop(() => thread.send('end')).then(resolve);
        },
      }),
      pauseMs: 1,
      pauseMsMax: 100,
      onLost: (pauseMs) => told.push(pauseMs),
    });
    thread.begin();
  });
  await alive;
  expect(told).toEqual([1, 2, 'alive']);
  expect(starts[0]).toBe(3);
});

it('the error that ends a thread is reported before its end, and ends no other thread', async () => {
  const told: string[] = [];
  const thread = new WatchedThread<never>({
    script: program(`throw new RangeError('of the thread');`),
    start: null,
    onFault: (error) => told.push(error.message),
    onEnd: () => told.push('ended'),
  });
  await thread.ended;
  expect(told).toEqual(['of the thread', 'ended']);
});

it('the report of a thread is its first message, and a thread without one is an error', async () => {
  expect(
    await reportOf<number>(program('parentPort.postMessage(workerData * 2); parentPort.postMessage(0);'), 21),
  ).toBe(42);
  await expect(reportOf(program(`throw new Error('at once');`), null)).rejects.toThrow('at once');
  await expect(reportOf(program('process.exit();'), null)).rejects.toThrow('without a report');
});

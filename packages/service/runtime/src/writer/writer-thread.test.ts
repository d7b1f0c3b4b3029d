import { expect, it } from 'vitest';
import type { WriterStart } from './writer-messages.js';
import { startWriterThread } from './writer-thread.js';

/** A writer that dies of its first two batches; its progress is in the memory that its start gives it. */
const mortal = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads';
    const start = Atomics.add(new Int32Array(workerData.memory), 0, 1) + 1;
    parentPort.postMessage({ kind: 'fault', message: 'start ' + start });
    parentPort.on('message', (command) => command === 'stop' && process.exit());
    parentPort.postMessage({ kind: 'started', batchUid: 7 });
    if (start === 1) setTimeout(() => { throw new Error('out of something'); }, 5);
    else if (start === 2) setTimeout(() => process.exit(1), 5);
    else parentPort.postMessage({ kind: 'finished', batchUid: 7 });
  `)}`,
);

it('restarts a thread that died, each time a little later, with or without a message', async () => {
  const said: string[] = [];
  const start = { memory: new SharedArrayBuffer(4) } as unknown as WriterStart;
  const writer = startWriterThread(start, (message) => said.push(message.split('\n')[0]!), mortal);
  while (!said.includes('start 3')) await new Promise((resolve) => setTimeout(resolve, 10));
  await writer.stop();
  // a message of the thread and the error that ends it have no order
  expect([...said.slice(0, 2).sort().reverse(), ...said.slice(2)]).toEqual([
    'start 1',
    'Error: out of something',
    'the writer thread ended by itself; it is started again in 100 ms',
    'start 2',
    'the writer thread ended by itself; it is started again in 200 ms',
    'start 3',
  ]);
});

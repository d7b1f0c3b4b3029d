import { expect, it } from 'vitest';
import type { WriterStart } from './writer-messages.js';
import { startWriterThread } from './writer-thread.js';

/** A writer that dies of every batch but those it is told to give up. */
const mortal = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads';
    const { abandonedBatch, dbPath } = workerData;
    parentPort.postMessage({ kind: 'fault', message: 'given up: ' + (abandonedBatch ?? 'none') });
    parentPort.on('message', (command) => command === 'stop' && process.exit());
    if (abandonedBatch === undefined) {
      parentPort.postMessage({ kind: 'started', batchUid: 7 });
      setTimeout(() => { throw new Error('out of something'); }, 5);
    } else parentPort.postMessage({ kind: 'finished', batchUid: 7 });
  `)}`,
);

it('starts a thread that died again, and gives up the batch that ended it twice', async () => {
  const said: string[] = [];
  const writer = startWriterThread({} as WriterStart, (message) => said.push(message.split('\n')[0]!), mortal);
  while (!said.includes('given up: 7')) await new Promise((resolve) => setTimeout(resolve, 10));
  await writer.stop();
  expect(said).toEqual([
    'given up: none',
    'Error: out of something',
    'the writer thread ended by itself; it is started again in 100 ms',
    'given up: none',
    'Error: out of something',
    'the writer thread ended by itself; it is started again in 200 ms',
    'given up: 7',
  ]);
});

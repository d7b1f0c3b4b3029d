// A writer that creates an index and stops in the transaction of its first batch until it is told to continue.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

const { folder, packageFile, flag } = workerData;
const { openEngineWriter } = await import(packageFile);
const writer = openEngineWriter({ rootFolder: join(folder, 'data'), maxSearchBytes: 1 << 20 });
writer.createIndex('books', 'id');
const payloadFile = join(folder, 'payload.ndjson');
writeFileSync(payloadFile, JSON.stringify({ id: 1, title: 'one' }));
let isHeld = false;
await writer.applyDocuments(
  'books',
  [{ type: 'documentAdditionOrUpdate', method: 'replace', payloadFile, primaryKey: null, skipCreation: false }],
  {
    isCanceled: () => false,
    maxIndexingBytes: 64 << 20,
    onProgress: (step) => {
      if (isHeld || step !== 'finalizing') return;
      isHeld = true;
      parentPort.postMessage('held');
      Atomics.wait(flag, 0, 0);
    },
  },
);
await writer.close();

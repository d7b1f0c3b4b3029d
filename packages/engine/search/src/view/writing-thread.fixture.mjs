// A writer in a thread of its own, for views-of-one-commit.test.ts: applies the batches of a seed, and counts its
// commits.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';

const { folder, batches, counts, packageFile } = workerData;
const { openEngineWriter } = await import(packageFile);
const writer = openEngineWriter({
  rootFolder: join(folder, 'data'),
  maxSearchBytes: 1 << 20,
  maxIndexingBytes: 256 << 10,
});
const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };

for (const [at, { mergesFirst, operations, settings }] of batches.entries()) {
  // writes during an open view are released one by one
  while (Atomics.load(counts, 0) <= at) Atomics.wait(counts, 0, at, 1_000);
  for (let piece = 0; piece < mergesFirst && (await writer.mergeOnce('books')); piece++);
  if (settings !== undefined) await writer.applySettings('books', [settings], context);
  const applied = operations.map((operation, place) => {
    if (operation.documents === undefined) return operation;
    const payloadFile = join(folder, `${at}-${place}.ndjson`);
    writeFileSync(payloadFile, operation.documents.map((document) => JSON.stringify(document)).join('\n'));
    return { type: 'documentAdditionOrUpdate', method: 'replace', payloadFile, primaryKey: 'id', skipCreation: false };
  });
  await writer.applyDocuments('books', applied, context);
  Atomics.store(counts, 1, at + 1);
  Atomics.notify(counts, 1);
}
await writer.close();

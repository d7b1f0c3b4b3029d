// A search thread of shared-memory.test.ts: runs the searches several times in a memory that another thread shares, and reports the answers that are not
// the expected ones.
import { parentPort, workerData } from 'node:worker_threads';

const { packages, folder, budget, sharedKernel, requests, expected, rounds } = workerData;
const { openEngineReader } = await import(packages.index);
const { searchBytes } = await import(packages.search);
const reader = openEngineReader({
  rootFolder: folder,
  maxSearchBytes: 1 << 20,
  resultCacheBytes: 0,
  sharedKernel,
  sharedBudget: { buffer: budget, owner: sharedKernel.thread, kernelOwner: 4 },
});
const wrong = [];
for (let round = 0; round < rounds; round++) {
  for (const [at, request] of requests.entries()) {
    const bytes = reader.withView('books', (view) => searchBytes(view, request, {}, () => ({})));
    const answer = Buffer.from(bytes)
      .toString()
      .replace(/"processingTimeMs":\d+/, '');
    if (answer !== expected[at]) wrong.push([round, request.q]);
  }
}
await reader.close();
parentPort.postMessage(wrong);

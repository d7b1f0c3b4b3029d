// A thread that creates a table, begins a transaction, waits for the other thread, and creates another table; reports
// how long that took.
import { parentPort, workerData } from 'node:worker_threads';

const { openLmdbStore } = await import(workerData.packageFile);
const store = openLmdbStore({ folder: workerData.path });
const key = Uint8Array.of(1);
store.transaction((txn) => txn.put('late', key, key));
store.transaction((txn) => {
  txn.put('late', key, Uint8Array.of(2));
  parentPort.postMessage('writing');
  Atomics.wait(workerData.flag, 0, 0);
  // the other thread is about to open a table
  Atomics.wait(workerData.flag, 1, 0, 500);
  const startedMs = performance.now();
  txn.put('later', key, key);
  parentPort.postMessage(performance.now() - startedMs);
});
await store.close();

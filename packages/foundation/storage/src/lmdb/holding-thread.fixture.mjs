// A thread that begins a snapshot of the store and never ends it.
import { parentPort, workerData } from 'node:worker_threads';

const { openLmdbStore } = await import(workerData.packageFile);
const store = openLmdbStore({ folder: workerData.path });
store.snapshot((snapshot) => {
  parentPort.postMessage(snapshot.table('t').get(Uint8Array.of(1))[0]);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});

// Another thread's writer on the folder, with the same options and the same counter as the store under test.
import { parentPort, workerData } from 'node:worker_threads';
import { open } from 'lmdb';

const binary = { keyEncoding: 'binary', encoding: 'binary', cache: false };
const root = open({
  path: workerData.path,
  noSubdir: false,
  maxDbs: 32,
  mapSize: 2 ** 26,
  remapChunks: false,
  overlappingSync: false,
  compression: false,
  ...binary,
});
const commits = new Int32Array(root.getUserSharedBuffer(Buffer.from('commits'), new ArrayBuffer(8)));
parentPort.postMessage('ready');
Atomics.wait(workerData.flag, 0, 0);
root.transactionSync(() => root.openDB('other', binary).putSync(Buffer.from([2]), Buffer.from([2])), 3);
Atomics.add(commits, 0, 1);
Atomics.store(workerData.flag, 1, 1);
Atomics.notify(workerData.flag, 1);

// A writer on the folder in another thread, with the same options and the same counter as the store under test.
import { parentPort, workerData } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
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
// a row as the store writes it: the value followed by the checksum of key and value
const row = Buffer.alloc(5, 2);
row.writeUInt32LE(crc32(Buffer.from([2, 2])), 1);
root.transactionSync(() => root.openDB('other', binary).putSync(Buffer.from([2]), row), 3);
Atomics.add(commits, 0, 1);
Atomics.store(workerData.flag, 1, 1);
Atomics.notify(workerData.flag, 1);

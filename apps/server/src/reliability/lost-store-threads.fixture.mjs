// A writer and three readers of one store, in threads of one process whose disk fails to write the head of the store
// again and again. Prints one line of JSON.
import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { openLmdbStore } from '@fossick/storage';

const [, , folder, rounds] = process.argv;
const key = Uint8Array.of(1);
/**
 * Seldom enough that two threads hardly ever meet LMDB's refusal at one instant, after which its description of errors
 * may end the process (docs/operations/reliability.md).
 */
const READ_EVERY_MS = 50;
/** The longest wait for a store that is being opened anew. */
const RENEWED_MS = 30_000;
const store = openLmdbStore({ folder });

if (isMainThread) await writeAndLose();
else readAllTheTime();

/** Says `open` after its first read, and reads once more when it is asked to end: a run may be shorter than its pauses. */
function readAllTheTime() {
  const counts = { read: 0, unavailable: 0, last: -1, others: [] };
  const read = () => {
    try {
      counts.last = store.table('t').get(key)[0];
      counts.read += 1;
      if (counts.read === 1) parentPort.postMessage('open');
      return true;
    } catch (error) {
      if (error.code === 'store_unavailable') counts.unavailable += 1;
      else counts.others.push(error.message);
      return false;
    }
  };
  const timer = setInterval(() => {
    for (let turn = 0; turn < 20; turn++) read();
  }, READ_EVERY_MS);
  parentPort.once('message', async () => {
    clearInterval(timer);
    for (const endMs = performance.now() + RENEWED_MS; !read() && performance.now() < endMs; ) await pause(2);
    void store.close();
    parentPort.postMessage(counts);
  });
}

async function writeAndLose() {
  const put = (value) => store.transaction((txn) => txn.put('t', key, Uint8Array.of(value)));
  put(0);
  const workers = [1, 2, 3].map(() => new Worker(new URL(import.meta.url), { argv: [folder] }));
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
  const control = openSync(process.env.FOSSICK_TEST_DISK, 'r+');
  const fail = (kinds, isLasting) => {
    writeSync(control, BigInt64Array.of(0n), 0, 8, 0);
    writeSync(control, BigInt64Array.of(5n, 0n, BigInt(isLasting), 0n, 0n, 0n), 0, 48, 8);
    writeSync(control, BigInt64Array.of(BigInt(kinds)), 0, 8, 0);
  };
  const result = { lost: 0, wrong: 0, longestMs: 0, readers: [] };
  for (let round = 1, acknowledged = 0; round <= rounds; round++) {
    fail(8, round % 2);
    try {
      put(round);
    } catch (error) {
      if (error.code === 'EIO') result.lost += 1;
    }
    fail(0, 0);
    for (const startMs = performance.now(); ; await pause(2)) {
      try {
        if (store.table('t').get(key)[0] !== acknowledged) result.wrong += 1;
        put(round);
        acknowledged = round;
        result.longestMs = Math.max(result.longestMs, Math.round(performance.now() - startMs));
        break;
      } catch (error) {
        if (error.code !== 'store_unavailable' || performance.now() - startMs > RENEWED_MS) throw error;
      }
    }
  }
  for (const worker of workers) {
    worker.postMessage('end');
    result.readers.push(await new Promise((resolve) => worker.once('message', resolve)));
  }
  closeSync(control);
  await store.close();
  console.log(JSON.stringify(result));
}

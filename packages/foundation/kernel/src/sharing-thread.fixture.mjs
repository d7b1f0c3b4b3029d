// A thread that allocates, publishes, uses and evicts in a memory that others share, and looks whether every byte is what was written. It reports the
// first wrong byte, or how many steps it has done, until the flag is set or there were enough.
import { parentPort, workerData } from 'node:worker_threads';

const { packageFile, shared, seed, flag, keyCount, stepsMax } = workerData;
const { createSharedKernel } = await import(packageFile);
const kernel = createSharedKernel(shared);
const { memory, directory } = kernel;
let state = seed >>> 0;
/** A number below `bound` (xorshift). */
const draw = (bound) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % bound;
};
const sizeOf = (key) => 16 + ((key * 7919) % 5_000);
const byteOf = (key) => 1 + (key % 255);
const fail = (text) => {
  throw new Error(`${text}, thread ${shared.thread}, seed ${seed}`);
};

/** Structures that were loaded, as a holder has them between views. */
const held = new Map();
/** Blocks of this thread alone. */
const own = [];

function structureOf(key) {
  const known = held.get(key);
  if (known?.use() === true) return known;
  const structure = directory.load(`key ${key}`, () => {
    const [byteCount, byte] = [sizeOf(key), byteOf(key)];
    const block = memory.allocate(byteCount);
    memory.write(block, new Uint8Array(byteCount).fill(byte));
    return { blocks: [block], numbers: [key], byteCount };
  });
  held.set(key, structure);
  return structure;
}

function checkStructure(key, { blocks, numbers }) {
  if (numbers[0] !== key) fail(`key ${key} is ${numbers[0]}`);
  if (memory.read(blocks[0], sizeOf(key)).some((byte) => byte !== byteOf(key))) fail(`key ${key} has other bytes`);
}

function useOwn() {
  if (own.length > 20) {
    const { block, byteCount, byte } = own.splice(draw(own.length), 1)[0];
    if (memory.read(block, byteCount).some((found) => found !== byte)) fail('a block of the thread has other bytes');
    memory.free(block);
    return;
  }
  const [byteCount, byte] = [1 + draw(30_000), draw(256)];
  const block = memory.allocate(byteCount);
  memory.write(block, new Uint8Array(byteCount).fill(byte));
  own.push({ block, byteCount, byte });
}

let steps = 0;
parentPort.postMessage('ready');
while (Atomics.load(flag, 0) === 0 && steps < stepsMax) {
  directory.beginView();
  const mark = memory.mark();
  const used = new Map();
  for (let count = 1 + draw(6); count > 0; count--) {
    const key = draw(keyCount);
    used.set(key, structureOf(key));
    if (draw(3) === 0) directory.evict();
    if (draw(2) === 0) useOwn();
    if (draw(4) === 0) memory.scratch(draw(100_000));
  }
  for (const [key, structure] of used) checkStructure(key, structure);
  memory.release(mark);
  directory.endView();
  steps += 1;
}
for (const { block } of own) memory.free(block);
memory.reset();
parentPort.postMessage(steps);

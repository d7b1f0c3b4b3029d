// A thread of shared-lists.test.ts: makes, publishes, uses and evicts the structures of the same lists as other threads do, in the checked build of the
// kernel, in this many views, and compares all that it reads with what is expected. It reports when it begins and when it is done.
import { parentPort, workerData } from 'node:worker_threads';

const { packages, shared, budget, limit, seed, views, lists, docBound, fieldCount, wanted, words, prefixes } =
  workerData;
const { createSharedKernel } = await import(packages.shared);
const { HeldByKey, MemoryBudget, SearchMemory } = await import(packages.memory);
const { PrefixPostings, ResidentPostings } = await import(packages.postings);
const { postingListsIn } = await import(packages.kernel);

const kernel = createSharedKernel(shared, 'sharedChecked');
const accounts = { buffer: budget, owner: shared.thread, kernelOwner: 4 };
const memory = new SearchMemory(new MemoryBudget(limit, accounts), kernel);
const held = new HeldByKey(memory);
const host = { kernel, onGrowth: memory.growPostings, scope: { fieldCount } };
let state = seed >>> 0;
/** A number below `bound` (xorshift). */
const draw = (bound) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % bound;
};

function compare(name, bitmap, docs) {
  const found = kernel.bitmaps.members(bitmap, 0, docBound);
  if (found.length === docs.length && found.every((doc, at) => doc === docs[at])) return;
  throw new Error(
    `${name}: ${found.length} documents instead of ${docs.length}, thread ${shared.thread}, seed ${seed}`,
  );
}

function bitmapOf(docs) {
  const bitmap = kernel.bitmaps.create(docBound);
  for (const doc of docs) kernel.bitmaps.set(bitmap, doc);
  return bitmap;
}

const structuresOf = (key) => kernel.structures.scope(`${key}:`);

function wordOf(word) {
  const make = () => {
    const bytes = lists[word];
    const block = kernel.memory.allocate(bytes.length);
    kernel.memory.write(block, bytes);
    return { blocks: [block], byteCount: bytes.length };
  };
  const key = `word ${word}`;
  return held.load(key, () => new ResidentPostings({ ...host, structures: structuresOf(key) }, { make }, 0));
}

function prefixOf({ from, to }) {
  const key = `words ${from} to ${to}`;
  const find = () => {
    const starts = [0];
    for (let word = from; word < to; word++) starts.push(starts.at(-1) + lists[word].length);
    const block = kernel.memory.scratch(starts.at(-1));
    for (let word = from; word < to; word++) kernel.memory.write(block, lists[word], starts[word - from]);
    return postingListsIn(block, Uint32Array.from(starts.slice(0, -1)), 0);
  };
  return held.load(key, () => new PrefixPostings({ ...host, structures: structuresOf(key) }, find, 0));
}

/** What is done with a list that a view has loaded; each may make structures. */
const USES = [
  (list, { docs }) => {
    const target = kernel.bitmaps.create(docBound);
    if (list.orDocs(target)) compare('documents', target, docs);
  },
  (list, { docs, fields }) => {
    const bitmaps = fields.map(() => kernel.bitmaps.create(docBound));
    if (!list.orFields(bitmapOf(docs), bitmaps)) return;
    for (const [field, bitmap] of bitmaps.entries()) compare(`field ${field}`, bitmap, fields[field]);
  },
  (list) => list.makeMasks(),
  (list, { docs, placed }) => {
    const target = kernel.bitmaps.create(docBound);
    list.orMasks(target, bitmapOf(docs), wanted);
    compare('positions', target, placed);
  },
  (list) => list.load(),
];

function view() {
  memory.begin();
  const mark = kernel.memory.mark();
  const used = [];
  for (let count = 1 + draw(3); count > 0; count--) {
    const isWord = draw(4) > 0;
    const [list, expected] = isWord
      ? ((word) => [wordOf(word), words[word]])(draw(words.length))
      : ((at) => [prefixOf(prefixes[at]), prefixes[at]])(draw(prefixes.length));
    used.push([list, expected]);
    for (let uses = 1 + draw(3); uses > 0; uses--) USES[draw(USES.length)](list, expected);
    for (let evictions = draw(6); evictions > 0; evictions--) kernel.directory.evict();
  }
  // what a view has used stays until it ends
  for (const [list, expected] of used) USES[draw(2)](list, expected);
  kernel.memory.release(mark);
  memory.settle();
  if (draw(50) === 0) held.drop(); // as when a segment is gone
}

parentPort.postMessage('begins');
for (let count = 0; count < views; count++) view();
kernel.memory.reset();
parentPort.postMessage('done');

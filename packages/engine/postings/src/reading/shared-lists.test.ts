import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { LocalOrdinal } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import {
  createKernel,
  type Kernel,
  type MadeStructure,
  type PostingLists,
  postingListsIn,
  type TermId,
} from '@fossick/kernel';
import { newSharedBudget } from '@fossick/kernel/memory';
import { createSharedKernel, newSharedKernelMemory, type SharedKernelMemory } from '@fossick/kernel/shared';
import { expect, test } from 'vitest';
import { ResidentPostings } from './resident-postings.js';

/** Threads load the built packages. */
const PACKAGES = {
  kernel: import.meta.resolve('@fossick/kernel'),
  shared: import.meta.resolve('@fossick/kernel/shared'),
  memory: import.meta.resolve('@fossick/kernel/memory'),
  postings: new URL('../../dist/index.js', import.meta.url).href,
};
const THREADS = 3;
const WORDS = 3;
const PREFIXES = [{ from: 0, to: 3 }];
const FIELDS = 4;
const DOC_BOUND = 2_000;
/** The positions that are asked for: some of those that have bits of their own. */
const WANTED = 0b1010101;
/** With the threads' scratch, structures may have some 100 KiB of it: less than all have. */
const LIMIT = 1 << 20;
const ROUNDS = Number(process.env['FOSSICK_TEST_ROUNDS'] ?? (process.env['FOSSICK_TEST_FAULTS'] === 'long' ? 200 : 3));
/** Views of a thread in a round. */
const VIEWS = 300;
const SEED = TEST_SEED;

/** The bytes of each word's list: common words in all fields, and rare ones. */
function encodedLists(kernel: Kernel): readonly Uint8Array<ArrayBuffer>[] {
  const inverter = kernel.lists.createInverter();
  for (let doc = 0; doc < DOC_BOUND; doc++)
    for (let word = 0; word < WORDS; word++)
      if (doc % (1 + word * 4) === 0)
        for (let field = 0; field <= (doc + word) % FIELDS; field++)
          inverter.add(word as TermId, doc as LocalOrdinal, field * 65536 + ((doc * 13 + word) % 40));
  const { postings, offsets } = inverter.encode(Uint32Array.from({ length: WORDS }, (_, word) => word));
  return Array.from({ length: WORDS }, (_, word) => postings.slice(offsets[word]!, offsets[word + 1]!));
}

/** What is read from a list, by walks over it that keep nothing. */
function expectedOf(
  kernel: Kernel,
  addresses: PostingLists,
): Record<'docs' | 'placed', number[]> & { fields: number[][] } {
  const merged = kernel.wordLists.merge(addresses, DOC_BOUND)!.ptr;
  const all = kernel.bitmaps.create(DOC_BOUND);
  kernel.lists.orDocs(all, { ptr: merged, deleted: 0 });
  const bitmaps = Array.from({ length: FIELDS }, () => kernel.bitmaps.create(DOC_BOUND));
  kernel.lists.scatterFields([{ ptr: merged, deleted: 0 }], all, kernel.bitmaps.row(bitmaps), FIELDS);
  const placed = kernel.bitmaps.create(DOC_BOUND);
  const wanted = Array.from({ length: 29 }, (_, bucket) => ((WANTED & (1 << bucket)) === 0 ? 0 : placed));
  kernel.lists.scatterPositions([{ ptr: merged, deleted: 0 }], all, kernel.bitmaps.row(wanted));
  const [docs, atPlaces, ...fields] = [all, placed, ...bitmaps].map((bitmap) => [
    ...kernel.bitmaps.members(bitmap, 0, DOC_BOUND),
  ]);
  return { docs: docs!, placed: atPlaces!, fields };
}

function expectedLists(kernel: Kernel, lists: readonly Uint8Array<ArrayBuffer>[]) {
  const addresses = (from: number, to: number): PostingLists => {
    const starts = Uint32Array.from({ length: to - from }, (_, at) =>
      lists.slice(from, from + at).reduce((bytes, list) => bytes + list.length, 0),
    );
    const block = kernel.memory.allocate(lists.slice(from, to).reduce((bytes, list) => bytes + list.length, 0));
    for (const [at, list] of lists.slice(from, to).entries()) kernel.memory.write(block, list, starts[at]);
    return postingListsIn(block, starts, 0);
  };
  const words = lists.map((_, word) => expectedOf(kernel, addresses(word, word + 1)));
  const prefixes = PREFIXES.map(({ from, to }) => ({ from, to, ...expectedOf(kernel, addresses(from, to)) }));
  return { words, prefixes };
}

/** Bytes in use when all structures are evicted. */
function bytesLeft(memory: SharedKernelMemory): number {
  for (let thread = 1; thread <= THREADS; thread++) createSharedKernel({ ...memory, thread }, 'sharedChecked');
  const kernel = createSharedKernel({ ...memory, thread: THREADS + 1 }, 'sharedChecked');
  while (kernel.directory!.evict() > 0);
  expect(kernel.directory!.count).toBe(0);
  return kernel.memory.totalBytes;
}

/** Another thread publishes the same structures, while this one makes them or between that and their publication. */
test.each([
  'made',
  'published',
])('structures that another thread publishes while they are %s are freed once', (when) => {
  const [bytes] = encodedLists(createKernel());
  const memory = newSharedKernelMemory(16 << 20);
  const [first, second] = [1, 2].map((thread) => createSharedKernel({ ...memory, thread }, 'sharedChecked'));
  const wordOf = (kernel: Kernel): ResidentPostings => {
    const make = (): MadeStructure => {
      const block = kernel.memory.allocate(bytes!.length);
      kernel.memory.write(block, bytes!);
      return { blocks: [block], byteCount: bytes!.length };
    };
    kernel.directory!.beginView();
    const host = { kernel, onGrowth: () => undefined, scope: { fieldCount: FIELDS } };
    return new ResidentPostings({ ...host, structures: kernel.structures.scope('word:') }, { make }, 0);
  };
  const [one, other] = [wordOf(first!), wordOf(second!)];
  const makeIndexed = one.makeIndexed.bind(one);
  one.makeIndexed = (...given) => {
    const made = makeIndexed(...given);
    const allocate = first!.memory.allocate.bind(first!.memory);
    if (when === 'while they are made') other.makeMasks();
    // the record of a structure is the next that it allocates
    first!.memory.allocate = (byteCount) => {
      first!.memory.allocate = allocate;
      if (when !== 'while they are made') other.makeMasks();
      return allocate(byteCount);
    };
    return made;
  };
  one.makeMasks();
  expect([one.indexed > 0, one.indexed]).toEqual([true, other.indexed]);
  for (const kernel of [first!, second!]) kernel.directory!.endView();
  while (first!.directory!.evict() > 0);
  for (const kernel of [first!, second!]) kernel.memory.reset();
  expect(first!.memory.totalBytes).toBe(0);
});

test.skipIf(!existsSync(new URL(PACKAGES.postings)))(
  `threads that publish, use and evict the same lists read what was written, and no block is freed twice or lost (FOSSICK_TEST_SEED=${SEED})`,
  async () => {
    const own = createKernel();
    const lists = encodedLists(own);
    const expected = expectedLists(own, lists);
    const memory = newSharedKernelMemory(16 << 20);
    const budget = newSharedBudget(5);
    for (let round = 0; round < ROUNDS; round++) {
      const given = { packages: PACKAGES, budget, limit: LIMIT, views: VIEWS, lists, ...expected };
      const running = Array.from({ length: THREADS }, (_, at) => {
        const shared = { ...memory, thread: at + 1 };
        const seed = (SEED + round * THREADS + at) % 2 ** 31 || 1;
        const worker = new Worker(new URL('./racing-thread.fixture.mjs', import.meta.url), {
          workerData: { ...given, shared, seed, docBound: DOC_BOUND, fieldCount: FIELDS, wanted: WANTED },
        });
        const messages: unknown[] = [];
        worker.on('message', (message) => messages.push(message));
        return new Promise<readonly unknown[]>((resolve, reject) => {
          worker.once('error', reject);
          worker.once('exit', () => resolve(messages));
        });
      });
      for (const messages of await Promise.all(running)) expect(messages).toEqual(['begins', 'done']);
      expect(bytesLeft(memory)).toBe(0);
    }
  },
  60_000 + ROUNDS * 20_000,
);

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiError } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { addition } from '@fossick/documents/addition.test-support';
import { openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { newSharedBudget } from '@fossick/kernel/memory';
import { createSharedKernel, type SharedKernelMemory } from '@fossick/kernel/shared';
import { DEFAULT_SEARCH, type SearchRequest } from '@fossick/settings/parameters';
import { expect, it } from 'vitest';
import { AnswerAccount } from '../jobs/answer-account.js';
import { runHere } from '../jobs/search-jobs.js';
import type { SearchThread } from './search-thread.js';

/** Search threads load the built package. */
const BUILT = new URL('../../dist/threads/searcher-threads.js', import.meta.url);
const DOCUMENTS = 4_000;
const THREADS = 2;
const CLIENTS = 4;
const SEED = TEST_SEED;
/** Of this many searches each. */
const ROUNDS = Number(process.env['FOSSICK_TEST_ROUNDS'] ?? (process.env['FOSSICK_TEST_FAULTS'] === 'long' ? 40 : 1));
const ROUND_SEARCHES = 250;
/** The most searches that a thread answers before it is killed in the middle of another one ... */
const ANSWERS_MAX = 120;
/** ... after this many milliseconds at most. */
const MORE_MS_MAX = 8;
/** Structures of all searches take more. */
const MEMORY_BYTES = 2 << 20;

const textOf = (id: number): string =>
  Array.from({ length: 12 }, (_, at) => `wor${(id * 31 + at * at * 17) % (at < 8 ? 9 : 700)}`).join(' ');

async function fill(folder: string): Promise<void> {
  const writer = openEngineWriter({ rootFolder: folder, maxSearchBytes: 64 << 20 });
  const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
  writer.createIndex('books', 'id');
  const settings = { filterableAttributes: ['year', 'genre'], sortableAttributes: ['year'] };
  await writer.applySettings('books', [settings], context);
  const payloadFile = join(folder, 'books.ndjson');
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    title: textOf(id),
    text: textOf(id * 7 + 1),
    year: 1990 + (id % 30),
    genre: `g${id % 5}`,
  }));
  writeFileSync(payloadFile, documents.map((document) => JSON.stringify(document)).join('\n'));
  await writer.applyDocuments('books', [addition(payloadFile)], context);
  await writer.close();
}

const REQUESTS: readonly SearchRequest[] = [
  ...Array.from({ length: 60 }, (_, at) => ({ q: `wor${at % 9} wor${(at * 5) % 700}` })),
  ...Array.from({ length: 9 }, (_, at) => ({ q: `"wor${at} wor${(at + 3) % 9}"` })),
  ...Array.from({ length: 10 }, (_, at) => ({ q: `wo${'r'.repeat(at % 3)}${at}x` })),
  ...Array.from({ length: 10 }, (_, at) => ({ q: `wor${at}`, filter: `year > ${2_000 + at} AND genre = g${at % 5}` })),
  ...Array.from({ length: 9 }, (_, at) => ({ q: `wor${at}`, facets: ['genre', 'year'], sort: ['year:desc'] })),
].map((request) => ({ ...DEFAULT_SEARCH, ...request }));

const jobOf = (request: SearchRequest) => ({
  kind: 'search' as const,
  indexUid: 'books',
  request,
  extras: { withMetadata: false, withPerformanceDetails: false, hydrates: false, inlineUid: null },
  ruleBook: null,
  scope: { patterns: null, rules: null },
});

const textOfAnswer = (bytes: Buffer): string =>
  bytes
    .toString()
    .replace(/"processingTimeMs":\d+/, '')
    .replace(/"requestUid":"[^"]+"/, '');

/** Bytes in use when nobody has a structure. */
function bytesLeft(memory: SharedKernelMemory): number {
  for (let thread = 1; thread <= THREADS; thread++) createSharedKernel({ ...memory, thread });
  const kernel = createSharedKernel({ ...memory, thread: THREADS + 1 });
  while (kernel.directory!.evict() > 0);
  return kernel.memory.totalBytes;
}

it.skipIf(!existsSync(BUILT))(
  `search threads that are killed at any time cost no answer and no memory, and the others go on (FOSSICK_TEST_SEED=${SEED})`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-kills-'));
    await fill(folder);
    const options = { rootFolder: folder, maxSearchBytes: 64 << 20, resultCacheBytes: 0 };
    const engine = openEngineReader(options);
    const expected = REQUESTS.map((request) => textOfAnswer(runHere(engine, jobOf(request)).value));

    const { SearcherThreads } = (await import(BUILT.href)) as typeof import('./searcher-threads.js');
    const kernelOwner = THREADS + 2;
    const threads = new SearcherThreads(
      {
        threadCount: THREADS,
        helperCount: 0,
        documentsMin: 0,
        budgetMs: 5,
        start: {
          dbPath: folder,
          maxSearchBytes: MEMORY_BYTES,
          resultCacheBytes: 0,
          budget: newSharedBudget(kernelOwner + 1),
          kernelOwner,
        },
        answers: new AnswerAccount(1 << 30),
        queue: { slotCount: CLIENTS, capacity: 100, waitMaxMs: Number.POSITIVE_INFINITY },
        jobMaxMs: 60_000,
      },
      engine,
    );
    let state = SEED || 1;
    const draw = (bound: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % bound;
    };
    let answerCount = 0;
    let killCount = 0;
    const memories = new Set<SharedKernelMemory>();

    const ask = async (at: number): Promise<string> => {
      try {
        return textOfAnswer((await threads.run(jobOf(REQUESTS[at]!))).value);
      } catch (error) {
        // a search that met the end of two threads is refused, and may be sent again
        if ((error as ApiError).code !== 'internal') throw error;
        return ask(at);
      }
    };
    const client = async (last: number): Promise<void> => {
      while (answerCount < last) {
        answerCount += 1;
        const at = draw(REQUESTS.length);
        if ((await ask(at)) !== expected[at]) throw new Error(`another answer to ${JSON.stringify(REQUESTS[at])}`);
      }
    };
    /** The number of searches that each thread has answered. */
    const answered = new WeakMap<object, number>();
    const watch = (thread: SearchThread): void => {
      const goOn = thread.goOn.bind(thread);
      answered.set(thread, 0);
      thread.goOn = () => {
        answered.set(thread, answered.get(thread)! + 1);
        goOn();
      };
    };
    const kill = async (last: number): Promise<void> => {
      for (let after = 1 + draw(ANSWERS_MAX); answerCount < last; await pause(1)) {
        const running = threads['threads'];
        for (const thread of running) if (!answered.has(thread)) watch(thread);
        // not while it opens a store: an error of that call could be thrown no more
        const ripe = running.filter((thread) => thread.isBusy && answered.get(thread)! >= after);
        if (ripe.length === 0) continue;
        await pause(draw(MORE_MS_MAX));
        const killed = ripe[draw(ripe.length)]!;
        killed['runner'].terminate();
        await killed['runner'].ended;
        killCount += 1;
        memories.add(threads['memory'].current);
        after = 1 + draw(ANSWERS_MAX);
      }
    };
    for (let round = 1; round <= ROUNDS; round++) {
      const last = round * ROUND_SEARCHES;
      await Promise.all([...Array.from({ length: CLIENTS }, () => client(last)), kill(last)]);
    }
    const memory = threads['memory'].current;
    await threads.stop();
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
    expect(killCount).toBeGreaterThan(0);
    // a thread that ends while it changes the memory costs all threads their structures: that is rare
    expect(memories.size).toBeLessThan(2 + killCount / 4);
    expect(bytesLeft(memory)).toBe(0);
  },
  60_000 + ROUNDS * 30_000,
);

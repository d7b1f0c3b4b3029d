import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { addition } from '@fossick/documents/addition.test-support';
import { openEngineReader, SearchMemoryShortage } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { newSharedBudget } from '@fossick/kernel/memory';
import { createSharedKernel, newSharedKernelMemory } from '@fossick/kernel/shared';
import type { SearchRequest } from '@fossick/settings/parameters';
import { expect, it } from 'vitest';
import { DEFAULT_REQUEST } from '../scratch-index.test-support.js';
import { searchBytes } from '../search.js';

const PACKAGES = {
  index: new URL('../../../index/dist/index.js', import.meta.url),
  search: new URL('../../dist/index.js', import.meta.url),
};
const DOCUMENTS = 3_000;
const BATCHES = 3;
const ROUNDS = 2;

/** Common words in most documents, and rare ones. */
const textOf = (id: number): string =>
  Array.from({ length: 12 }, (_, at) => `wor${(id * 31 + at * at * 17) % (at < 8 ? 9 : 700)}`).join(' ');
const documentOf = (id: number): object => ({
  id,
  title: textOf(id),
  text: textOf(id * 7 + 1),
  year: 1990 + (id % 30),
  genre: `g${id % 5}`,
});

async function fill(folder: string): Promise<void> {
  const writer = openEngineWriter({ rootFolder: folder, maxSearchBytes: 64 << 20 });
  const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
  writer.createIndex('books', 'id');
  const settings = { searchableAttributes: ['title', 'text'], filterableAttributes: ['year', 'genre'] };
  await writer.applySettings('books', [{ ...settings, sortableAttributes: ['year'] }], context);
  for (let batch = 0; batch < BATCHES; batch++) {
    const payloadFile = join(folder, `${batch}.ndjson`);
    const ids = Array.from({ length: DOCUMENTS / BATCHES }, (_, at) => (batch * DOCUMENTS) / BATCHES + at);
    writeFileSync(payloadFile, ids.map((id) => JSON.stringify(documentOf(id))).join('\n'));
    await writer.applyDocuments('books', [addition(payloadFile)], context);
  }
  await writer.close();
}

const REQUESTS: readonly SearchRequest[] = [
  ...Array.from({ length: 40 }, (_, at) => ({ q: `wor${at % 9} wor${(at * 5) % 700}` })),
  ...Array.from({ length: 9 }, (_, at) => ({ q: `"wor${at} wor${(at + 3) % 9}"` })),
  ...Array.from({ length: 10 }, (_, at) => ({ q: `wo${'r'.repeat(at % 3)}${at}x` })),
  ...Array.from({ length: 10 }, (_, at) => ({ q: `wor${at}`, filter: `year > ${2_000 + at} AND genre = g${at % 5}` })),
  ...Array.from({ length: 5 }, (_, at) => ({ q: `wor${at}`, facets: ['genre', 'year'], sort: ['year:desc'] })),
].map((request) => ({ ...DEFAULT_REQUEST, ...request }));

it.skipIf(!existsSync(PACKAGES.search))(
  'two threads that share a memory with room for little answer as one thread does that has its own',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-shared-'));
    await fill(folder);
    const reader = openEngineReader({ rootFolder: folder, maxSearchBytes: 64 << 20, resultCacheBytes: 0 });
    const expected = REQUESTS.map((request) => {
      const bytes = reader.withView('books', (view) => searchBytes(view, request, {}, () => ({})));
      return Buffer.from(bytes)
        .toString()
        .replace(/"processingTimeMs":\d+/, '');
    });
    await reader.close();

    const memory = newSharedKernelMemory(128 << 20);
    const budget = newSharedBudget(5);
    const found = await Promise.all(
      [1, 2].map((thread) => {
        const worker = new Worker(new URL('./searching-thread.fixture.mjs', import.meta.url), {
          workerData: {
            packages: { index: PACKAGES.index.href, search: PACKAGES.search.href },
            folder,
            budget,
            sharedKernel: { ...memory, thread },
            requests: REQUESTS,
            expected,
            rounds: ROUNDS,
          },
        });
        return new Promise((resolve, reject) => {
          worker.once('message', resolve);
          worker.once('error', reject);
        });
      }),
    );
    expect(found).toEqual([[], []]);
    rmSync(folder, { recursive: true, force: true });
  },
  60_000,
);

it('a search that only lacks what an idle thread has for itself asks for a new memory, and is answered there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-shared-'));
  await fill(folder);
  const maxSearchBytes = 64 << 20;
  const memory = newSharedKernelMemory(maxSearchBytes);
  const options = { rootFolder: folder, maxSearchBytes, resultCacheBytes: 0, sharedKernel: { ...memory, thread: 1 } };
  const reader = openEngineReader({
    ...options,
    sharedBudget: { buffer: newSharedBudget(5), owner: 1, kernelOwner: 4 },
  });
  const idle = createSharedKernel({ ...memory, thread: 2 });
  idle.memory.limit(maxSearchBytes);
  idle.onShortage = () => false;
  expect(() => {
    for (;;) idle.memory.allocate(200_000);
  }).toThrow('no room');
  const search = (): string => {
    const request = REQUESTS[0]!;
    return Buffer.from(reader.withView('books', (view) => searchBytes(view, request, {}, () => ({})))).toString();
  };
  const refused = expect.objectContaining({ code: 'too_many_search_requests', fitsInNew: true });
  expect(search).toThrow(refused);
  expect(search).toThrow(SearchMemoryShortage);
  expect(reader.needsMemory).toBe(true);
  reader.useMemory({ ...newSharedKernelMemory(maxSearchBytes), thread: 1 });
  expect(search()).toContain('"hits":[{');
  expect(reader.needsMemory).toBe(false);
  await reader.close();
  rmSync(folder, { recursive: true, force: true });
});

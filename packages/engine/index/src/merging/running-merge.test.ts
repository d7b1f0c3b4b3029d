import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { addition } from '@fossick/documents/addition.test-support';
import { TABLES } from '@fossick/format';
import { openLmdbStore } from '@fossick/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEngineReader } from '../open-reader.js';
import { openEngineWriter } from '../open-writer.js';
import type { EngineReader, EngineWriter } from '../port.js';
import type { WriteContext } from '../transaction/write-context.js';
import type { IndexView } from '../view/index-view.js';

/** So little memory that a merge pauses every 4 KiB. */
const maxIndexingBytes = 256 << 10;
const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const BATCHES = 4;
const BATCH_DOCUMENTS = 300;

/** The built package: a merge in a thread of its own takes one that Node can load. */
const built = (file: string): string => new URL(`../../dist/${file}`, import.meta.url).href;
const WAYS = [
  ['in the thread of the writer', false],
  ['in a thread of its own', true],
] as const;

let folder: string;
let isThreaded = false;
let writer: EngineWriter;
let reader: EngineReader;
let fileCount = 0;

async function openAt(name: string, indexingBytes = maxIndexingBytes): Promise<void> {
  const options = { rootFolder: join(folder, name), maxSearchBytes: 16 << 20, maxIndexingBytes: indexingBytes };
  const reading: Pick<typeof import('../open-reader.js'), 'openEngineReader'> = isThreaded
    ? await import(built('index.js'))
    : { openEngineReader };
  const writing: typeof import('../open-writer.js') = isThreaded
    ? await import(built('writer.js'))
    : { openEngineWriter };
  writer = writing.openEngineWriter({ ...options, extractsInThread: isThreaded });
  reader = reading.openEngineReader(options);
}
async function closeBoth(): Promise<void> {
  await reader.close();
  await writer.close();
}
async function openFilled(inThread: boolean): Promise<void> {
  isThreaded = inThread;
  folder = mkdtempSync(join(tmpdir(), 'fossick-merge-'));
  await openAt('data');
  await writer.applySettings('books', [{ filterableAttributes: ['shelf'] }], context);
  for (let batch = 0; batch < BATCHES; batch++) {
    const from = batch * BATCH_DOCUMENTS;
    await add(Array.from({ length: BATCH_DOCUMENTS }, (_, at) => book(from + at)));
  }
}
afterEach(async () => {
  await closeBoth();
  rmSync(folder, { recursive: true, force: true });
});

const book = (id: number): object => ({ id, title: `common word${id} half${id % 2}`, shelf: `s${id % 7}` });
async function add(documents: readonly object[]): Promise<void> {
  const payloadFile = join(folder, `payload-${fileCount++}.ndjson`);
  writeFileSync(payloadFile, documents.map((document) => JSON.stringify(document)).join('\n'));
  await writer.applyDocuments('books', [addition(payloadFile)], context);
}
const remove = (ids: readonly string[]) =>
  writer.applyDocuments('books', [{ type: 'documentDeletion', target: { by: 'ids', ids } }], context);
const inView = <T>(use: (view: IndexView) => T): T => reader.withView('books', use);
const segmentCount = (): number => inView(({ segments }) => segments.length);
/** Number of documents with a word, over all segments. */
const countOf = (word: string): number =>
  inView(({ kernel, bitCount, segments }) => {
    const found = kernel.bitmaps.create(bitCount);
    for (const segment of segments) {
      const dictionary = segment.dictionary('fuzzy');
      const ordinal = dictionary === 0 ? -1 : kernel.dictionaries.find(dictionary, Buffer.from(word));
      if (ordinal !== -1) kernel.lists.orDocs(found, segment.postings('fuzzy', ordinal));
    }
    return kernel.bitmaps.count(found);
  });
/** Answers how many pieces that took. */
async function finishMerges(): Promise<number> {
  let pieceCount = 0;
  while (await writer.mergeOnce('books')) pieceCount++;
  return pieceCount;
}
/** Rows of segments in the store, seen or not, by segment id. */
async function segmentIds(name: string): Promise<number[]> {
  const [index] = readdirSync(join(folder, name, 'indexes'));
  const store = openLmdbStore({ folder: join(folder, name, 'indexes', index!) });
  const ids = [...store.table(TABLES.segments).range({})].map(({ key }) => Buffer.from(key).readUInt32BE(0));
  await store.close();
  return [...new Set(ids)];
}

describe.each(WAYS)('a merge in pieces %s', (_way, inThread) => {
  // the built package takes a while to load
  beforeEach(() => openFilled(inThread), 60_000);

  it('lets commits of others go in between, and knows what they did', async () => {
    expect(await writer.mergeOnce('books')).toBe(true);
    expect(segmentCount()).toBe(BATCHES);
    // replaced, deleted and new ones are seen while the merge is still on its way
    await add([
      { id: 5, title: 'rewritten' },
      { id: 9_999, title: 'rewritten' },
    ]);
    await remove(['6', '7']);
    expect([countOf('rewritten'), countOf('common'), segmentCount()]).toEqual([2, 1_200 - 3, BATCHES + 1]);
    expect(await writer.mergeOnce('books')).toBe(true);
    expect(segmentCount()).toBe(BATCHES + 1);
    await remove(['8']);
    expect(await finishMerges()).toBeGreaterThan(5);
    expect(segmentCount()).toBe(2);
    expect([countOf('common'), countOf('half0'), countOf('rewritten')]).toEqual([1_196, 598, 2]);
    expect(['word5', 'word6', 'word7', 'word8', 'word4'].map(countOf)).toEqual([0, 0, 0, 0, 1]);
    expect(inView((view) => view.document(view.docIdOf('5')!))).toEqual({ id: 5, title: 'rewritten' });
  });

  it('continues after batches without pauses once there are many segments', async () => {
    const counts: number[] = [];
    for (let id = 0; id < 40; id++) {
      await add([{ id: 20_000 + id, title: 'one of many' }]);
      counts.push(segmentCount());
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(24);
    expect([countOf('many'), countOf('common')]).toEqual([40, 1_200]);
    await finishMerges();
    expect([segmentCount() <= 10, countOf('many'), countOf('common')]).toEqual([true, 40, 1_200]);
  });

  it('goes on between large batches of a load, which ends with few segments', async () => {
    const LOAD_BATCHES = 12;
    const LOAD_DOCUMENTS = 9_000;
    const filler = 'f'.repeat(250); // for batches of more than 2 MiB
    const counts: number[] = [];
    await closeBoth();
    await openAt('data', 64 << 20);
    for (let batch = 0; batch < LOAD_BATCHES; batch++) {
      const payloadFile = join(folder, `load-${batch}.ndjson`);
      const lines = Array.from({ length: LOAD_DOCUMENTS }, (_, at) =>
        JSON.stringify({ id: 100_000 + batch * LOAD_DOCUMENTS + at, title: `loaded n${at % 31}`, filler }),
      );
      writeFileSync(payloadFile, lines.join('\n'));
      await writer.applyDocuments('books', [addition(payloadFile)], { ...context, isMoreWaiting: () => true });
      counts.push(segmentCount());
    }
    // without merges in parallel with the batches there would be one segment for each, and those from before
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
    expect(counts.at(-1)).toBeLessThan(LOAD_BATCHES);
    expect(counts.some((count, at) => at > 0 && count < counts[at - 1]!)).toBe(true);
    await finishMerges();
    expect([countOf('loaded'), countOf('common')]).toEqual([LOAD_BATCHES * LOAD_DOCUMENTS, BATCHES * BATCH_DOCUMENTS]);
  }, 60_000);

  it('ends after a batch in many commits, not between them', async () => {
    const ended: Promise<unknown>[] = [];
    const watch = (thread: Worker): void => void ended.push(once(thread, 'exit'));
    process.on('worker', watch);
    try {
      await writer.mergeOnce('books');
      // threads are told of in the next turn
      await nextTurn();
    } finally {
      process.off('worker', watch);
    }
    // a thread has made all rows when it ends
    await Promise.all(ended);
    expect(ended).toHaveLength(isThreaded ? 1 : 0);
    const payloadFile = join(folder, 'large.ndjson');
    writeFileSync(payloadFile, Array.from({ length: 8_000 }, (_, at) => JSON.stringify(book(10_000 + at))).join('\n'));
    await writer.applyDocuments('books', [addition(payloadFile)], { ...context, maxIndexingBytes });
    expect(countOf('common')).toBe(9_200);
    await finishMerges();
    expect([countOf('common'), countOf('half0'), countOf('word7'), countOf('word10007')]).toEqual([9_200, 4_600, 1, 1]);
    expect(inView(({ documentCount }) => documentCount)).toBe(9_200);
  });

  it('is given up when its segments are dropped, or get other columns', async () => {
    await writer.mergeOnce('books');
    await writer.applyDocuments('books', [{ type: 'documentDeletion', target: { by: 'all' } }], context);
    await add([book(1)]);
    await finishMerges();
    expect([countOf('common'), segmentCount()]).toEqual([1, 1]);
    for (let at = 0; at < BATCHES; at++) await add(Array.from({ length: 200 }, (_, id) => book(1_000 * at + id)));
    await writer.mergeOnce('books');
    await writer.applySettings('books', [{ filterableAttributes: ['id'] }], context);
    await finishMerges();
    expect(countOf('common')).toBe(800);
    inView(({ segments }) => {
      for (const segment of segments)
        expect(['id', 'shelf'].map((field) => segment.column(field) !== undefined)).toEqual([true, false]);
    });
  });

  it('that dies with every document of it leaves nothing', async () => {
    await writer.mergeOnce('books');
    await add([{ id: 'last', title: 'last' }]);
    await remove(Array.from({ length: BATCHES * BATCH_DOCUMENTS }, (_, id) => String(id)));
    await finishMerges();
    expect([countOf('common'), countOf('last')]).toEqual([0, 1]);
  });

  it('restarts after the process died, and leaves no rows', async () => {
    const before = await segmentIds('data');
    // until it has committed rows
    while ((await segmentIds('data')).every((id) => before.includes(id))) await writer.mergeOnce('books');
    cpSync(join(folder, 'data'), join(folder, 'left'), {
      recursive: true,
      filter: (file) => !file.endsWith('lock.mdb'),
    });
    const [unseen] = (await segmentIds('left')).filter((id) => !before.includes(id));
    expect(unseen).toBeDefined();
    await closeBoth();
    await openAt('left');
    expect([countOf('common'), segmentCount()]).toEqual([1_200, BATCHES]);
    await finishMerges();
    expect([countOf('common'), segmentCount()]).toEqual([1_200, 1]);
    expect(await segmentIds('left')).not.toContain(unseen);
  });
});

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SegmentId } from '@fossick/base';
import { addition } from '@fossick/documents/addition.test-support';
import { type MergeRows, readManifest, rowsOf } from '@fossick/format';
import { createKernel } from '@fossick/kernel';
import { MERGE_THREAD_BYTES } from '@fossick/kernel/memory';
import { openLmdbStore } from '@fossick/storage';
import { afterEach, expect, test } from 'vitest';
import { readDeleted } from '../documents/document-sets.js';
import { openEngineWriter } from '../open-writer.js';
import { MergeEstimates } from './merge-estimates.js';
import { mergeSegments } from './merge-segments.js';

const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const [BATCHES, BATCH_DOCUMENTS] = [3, 4_000];
/** A kernel has this much before it merges anything. */
const KERNEL_BYTES = createKernel().memory.byteCount;

let folder = '';
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Segments of documents, which nobody merges. */
async function fill(documentOf: (id: number) => object): Promise<string> {
  folder = mkdtempSync(join(tmpdir(), 'fossick-estimates-'));
  const writer = openEngineWriter({ rootFolder: folder, maxSearchBytes: 64 << 20 });
  await writer.applySettings('books', [{ filterableAttributes: ['tag', 'number'] }], context);
  const payloadFile = join(folder, 'payload.ndjson');
  for (let batch = 0; batch < BATCHES; batch++) {
    const ids = Array.from({ length: BATCH_DOCUMENTS }, (_, at) => batch * BATCH_DOCUMENTS + at);
    writeFileSync(payloadFile, ids.map((id) => JSON.stringify({ id, ...documentOf(id) })).join('\n'));
    await writer.applyDocuments('books', [addition(payloadFile, { primaryKey: 'id' })], context);
  }
  await writer.close();
  return join(folder, 'indexes', readdirSync(join(folder, 'indexes'))[0]!);
}

const words = (id: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `word${(id * 31 + at * at) % 5_000}`).join(' ');

test.each([
  ['long texts of words that many documents have', (id: number) => ({ text: `the ${words(id, 60)} the `.repeat(3) })],
  ['words that one document has', (id: number) => ({ text: `only${id} other${id * 7} third${id * 13}` })],
  [
    'large columns',
    (id: number) => ({ tag: Array.from({ length: 12 }, (_, at) => `value ${id} of ${at}`), number: id }),
  ],
  ['a word in all of few documents', (id: number) => ({ text: 'same '.repeat(1 + (id % 300)) })],
])('a merge holds at most what was estimated: %s', async (_, documentOf) => {
  const store = openLmdbStore({ folder: await fill(documentOf) });
  try {
    const rows = rowsOf(store);
    const manifest = readManifest(rows);
    const { segments } = manifest;
    expect(segments.length).toBe(BATCHES);
    const estimates = new MergeEstimates();
    const estimated = estimates.bytesOf(rows, segments);
    for (const one of segments) expect(estimates.bytesOf(rows, [one])).toBeLessThanOrEqual(estimated);

    const kernel = createKernel();
    const made: MergeRows = { ...rows, put: () => undefined };
    let [hostBytes, held] = [0, 0];
    const note = (): void => {
      held = Math.max(held, kernel.memory.byteCount - KERNEL_BYTES + hostBytes);
    };
    const memory = {
      hold(bytes: number): void {
        hostBytes = bytes;
        note();
      },
    };
    const sources = segments.map((info) => ({ info, deletedDocs: readDeleted(rows, info.id, manifest) }));
    const plan = { sources, target: 1_000 as SegmentId, manifest };
    for (const _ of mergeSegments(kernel, made, plan, memory)) note();
    console.log(`${held >> 20} MiB held, ${(estimated - MERGE_THREAD_BYTES) >> 20} estimated`);
    expect(held).toBeLessThanOrEqual(estimated);
    expect(estimated - MERGE_THREAD_BYTES).toBeLessThan(4 * held + (8 << 20));
  } finally {
    await store.close();
  }
});

import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EngineReader, EngineWriter } from './port.js';
import { openEngineReader } from './reader.js';
import { newSummaryMarks } from './summary-marks.js';
import { openEngineWriter } from './writer.js';

let folder: string;
let writer: EngineWriter;
let reader: EngineReader;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-summary-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 1 << 20, summaryMarks: newSummaryMarks() };
  writer = openEngineWriter(options);
  reader = openEngineReader(options);
});
afterEach(async () => {
  await reader.close();
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
let payloadCount = 0;
async function add(uid: string, ...ids: number[]): Promise<void> {
  const payloadFile = join(folder, `${payloadCount++}.ndjson`);
  writeFileSync(payloadFile, ids.map((id) => JSON.stringify({ id, text: `word${id}` })).join('\n'));
  const operation = { kind: 'replace', payloadFile, primaryKey: 'id', skipCreation: false } as const;
  await writer.applyDocuments(uid, [operation], context);
}
const counts = (): Record<string, number> =>
  Object.fromEntries(reader.indexes().map(({ uid }) => [uid, reader.stats(uid).numberOfDocuments]));

describe('summaries of indexes that are not open', () => {
  test('is that of the last commit, whatever has changed', async () => {
    for (const uid of ['a', 'b', 'c']) await add(uid, 1, 2);
    expect(counts()).toEqual({ a: 2, b: 2, c: 2 });
    for (let id = 3; id < 20; id++) {
      const before = reader.index('b')!.updatedAt;
      await add('b', id);
      expect(counts()).toEqual({ a: 2, b: id, c: 2 });
      expect(reader.index('b')!.updatedAt >= before).toBe(true);
    }
    while (await writer.mergeOnce('b'));
    await writer.compactIndex('b');
    expect(counts()).toEqual({ a: 2, b: 19, c: 2 });
    writer.swapIndexes([{ left: 'a', right: 'b', rename: false }]);
    await writer.deleteIndex('c');
    expect(counts()).toEqual({ a: 19, b: 2 });
  });

  test('is written after each write, and until then read from the store', async () => {
    await add('a', 1, 2);
    await new Promise((resolve) => setImmediate(resolve));
    const [name] = readdirSync(join(folder, 'data', 'indexes'));
    const file = join(folder, 'data', 'indexes', name!, 'summary.json');
    const before = readFileSync(file, 'utf8');
    await new Promise((resolve) => setTimeout(resolve, 5)); // dates are in milliseconds
    writer.updateIndex('a', { primaryKey: null, newUid: 'b' });
    const updatedAt = reader.index('b')!.updatedAt;
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(before).not.toContain(updatedAt);
    await new Promise((resolve) => setImmediate(resolve));
    expect(readFileSync(file, 'utf8')).toContain(updatedAt);
    expect(reader.index('b')!.updatedAt).toBe(updatedAt);
  });

  test('is right after a writer closes or deletes the index', async () => {
    for (const uid of ['a', 'b']) await add(uid, 1, 2);
    await writer.deleteIndex('b');
    await new Promise((resolve) => setImmediate(resolve));
    const names = readdirSync(join(folder, 'data', 'indexes'));
    expect(names.length).toBe(1);
    await add('a', 3);
    await writer.close();
    writer = openEngineWriter({ rootFolder: join(folder, 'data'), maxSearchBytes: 1 << 20 });
    const text = readFileSync(join(folder, 'data', 'indexes', names[0]!, 'summary.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ stats: { numberOfDocuments: 3 } });
    expect(counts()).toEqual({ a: 3 });
  });

  test('is not read from its file again once known', async () => {
    for (const uid of ['a', 'b', 'c']) await add(uid, 1, 2);
    while (reader.readSummaries(0.01));
    const size = reader.size();
    expect(size.diskBytes).toBeGreaterThan(size.usedBytes);
    const indexes = join(folder, 'data', 'indexes');
    for (const name of readdirSync(indexes)) renameSync(join(indexes, name), join(indexes, `${name}.away`));
    expect(counts()).toEqual({ a: 2, b: 2, c: 2 });
    expect(reader.size()).toEqual(size);
    for (const name of readdirSync(indexes)) renameSync(join(indexes, name), join(indexes, name.slice(0, -5)));
  });

  test('of an earlier release lacks the bytes on disk, which are looked up', async () => {
    await add('a', 1, 2);
    await new Promise((resolve) => setImmediate(resolve)); // it is written behind what the writer does
    const size = reader.size();
    const indexes = join(folder, 'data', 'indexes');
    const [name] = readdirSync(indexes);
    const file = join(indexes, name!, 'summary.json');
    const { default: summary } = await import(file, { with: { type: 'json' } });
    const { diskBytes, ...earlier } = summary as { diskBytes: number };
    expect(diskBytes).toBeGreaterThan(0);
    writeFileSync(file, JSON.stringify(earlier));
    const other = openEngineReader({ rootFolder: join(folder, 'data'), maxSearchBytes: 1 << 20 });
    expect(other.size()).toEqual(size);
    await other.close();
  });
});

describe('merges that a process did not get to', () => {
  const due = (): string[] => [...writer.mergesDue()].filter((uid) => uid !== null);
  async function reopen(): Promise<void> {
    await writer.close();
    writer = openEngineWriter({
      rootFolder: join(folder, 'data'),
      maxSearchBytes: 1 << 20,
      maxIndexingBytes: 256 << 10,
    });
  }
  /** Enough for a merge of several pieces. */
  const batch = (from: number): number[] => Array.from({ length: 300 }, (_, at) => from + at);

  test('are reported when the next process starts, until they are done', async () => {
    await reopen();
    await add('few', 1);
    for (let id = 0; id < 4; id++) await add('none begun', ...batch(id * 300));
    for (let id = 0; id < 4; id++) await add('broken off', ...batch(id * 300));
    expect(await writer.mergeOnce('broken off')).toBe(true);
    await reopen();
    expect(due()).toEqual(['broken off', 'none begun']);
    while (await writer.mergeOnce('none begun'));
    await reopen();
    expect(due()).toEqual(['broken off']);
    while (await writer.mergeOnce('broken off'));
    expect([...writer.mergesDue()]).toEqual([null, null, null]);
    await reopen();
    expect(due()).toEqual([]);
  });

  test('are found in the index when its summary lacks them: that of an earlier release, or of an earlier commit', async () => {
    for (let id = 0; id < 4; id++) await add('a', id);
    await add('b', 1);
    await writer.close();
    const indexes = join(folder, 'data', 'indexes');
    const files = readdirSync(indexes).map((name) => join(indexes, name, 'summary.json'));
    for (const file of files) {
      const { isMergeDue, ...earlier } = JSON.parse(readFileSync(file, 'utf8'));
      expect(isMergeDue).toBe(earlier.stats.numberOfDocuments === 4);
      writeFileSync(file, JSON.stringify(earlier));
    }
    await reopen();
    expect(due()).toEqual(['a']);
    // and it is written, so that it is looked for once
    for (const file of files) expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('isMergeDue');
    for (const file of files) rmSync(file);
    expect(due()).toEqual(['a']);
  });
});

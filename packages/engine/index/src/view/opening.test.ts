import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { openEngineReader } from '../open-reader.js';

it('an index is opened and viewed while another thread is in the middle of its first batch', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-opening-'));
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const packageFile = new URL('../../dist/writer.js', import.meta.url).href;
  const worker = new Worker(new URL('./held-writer.fixture.mjs', import.meta.url), {
    workerData: { folder, packageFile, flag },
  });
  try {
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    expect(await new Promise((resolve) => worker.once('message', resolve))).toBe('held');
    const reader = openEngineReader({ rootFolder: join(folder, 'data'), maxSearchBytes: 1 << 20 });
    const waits = vi.spyOn(Atomics, 'wait');
    expect(reader.withView('books', (view) => view.documentCount)).toBe(0);
    expect(reader.stats('books').numberOfDocuments).toBe(0);
    expect(reader.tableSizes('books')).toHaveProperty('documents');
    // the writer ends only after this
    expect(waits).not.toHaveBeenCalled();
    waits.mockRestore();
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
    await ended;
    expect(reader.withView('books', (view) => view.documentCount)).toBe(1);
    await reader.close();
  } finally {
    await worker.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
}, 30_000);

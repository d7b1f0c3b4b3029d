import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineReader, type EngineWriter, openEngineReader, openEngineWriter } from '@fossick/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Rehearsal } from './rehearsal.js';

const NOBODY = { startedCount: 0, lastStartMs: Number.NEGATIVE_INFINITY };
const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 1 << 26 };

describe('rehearsed searches', () => {
  let folder = '';
  let writer: EngineWriter;
  let engine: EngineReader;
  let rehearsal: Rehearsal | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fossick-rehearsal-'));
    writer = openEngineWriter({ rootFolder: folder, maxSearchBytes: 1 << 24, maxIndexingBytes: 1 << 26 });
    const payloadFile = join(folder, 'rows.ndjson');
    const lines = Array.from({ length: 40 }, (_, id) => JSON.stringify({ id, text: `several words about number ${id} here` }));
    writeFileSync(payloadFile, lines.join('\n'));
    const add = { kind: 'replace', payloadFile, primaryKey: null, skipCreation: false } as const;
    await writer.applyDocuments('notes', [add], context);
    engine = openEngineReader({ rootFolder: folder, maxSearchBytes: 1 << 24 });
  });
  afterEach(async () => {
    rehearsal?.stop();
    await writer.close();
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  it('run by themselves on an index that is large enough, until there were enough', async () => {
    rehearsal = new Rehearsal({ engine, documentsMax: 1_000, documentsMin: 10, asked: { ...NOBODY, startedCount: 290 } });
    rehearsal.begin();
    await vi.waitFor(() => expect(rehearsal?.count).toBe(10), 5_000);
    rehearsal.begin();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(rehearsal.count).toBe(10);
  });

  it('leave small indexes alone, and those that other threads search', async () => {
    for (const limits of [{ documentsMin: 41 }, { documentsMin: 10, documentsMax: 40 }]) {
      rehearsal = new Rehearsal({ engine, documentsMax: 1_000, ...limits, asked: NOBODY });
      rehearsal.begin();
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(rehearsal.count).toBe(0);
    }
  });

  it('wait while somebody searches, and end with the server', async () => {
    const asked = { startedCount: 1, lastStartMs: Number.POSITIVE_INFINITY };
    rehearsal = new Rehearsal({ engine, documentsMax: 1_000, documentsMin: 10, asked });
    rehearsal.begin();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(rehearsal.count).toBe(0);
    asked.lastStartMs = 0;
    await vi.waitFor(() => expect(rehearsal?.count).toBeGreaterThan(0), 5_000);
    rehearsal.stop();
    const { count } = rehearsal;
    rehearsal.begin();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(rehearsal.count).toBe(count);
  });
});

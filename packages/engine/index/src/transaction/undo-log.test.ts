import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocId } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openUndoFile } from '../open-writer.js';
import { UndoLog } from './undo-log.js';

function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-undo-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const seed = TEST_SEED;

test(`gives back what each document was first, however little fits in memory (seed ${seed})`, () => {
  const folder = scratchFolder();
  const change = fc.record({
    docId: fc.integer({ min: 0, max: 40_000 }).map((id) => id as DocId),
    row: fc.option(fc.uint8Array({ maxLength: 60 }), { nil: undefined }),
    isAllotted: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80 }), fc.integer({ min: 1, max: 2_000 }), (changes, bytesMax) => {
      const log = new UndoLog(() => openUndoFile(folder), bytesMax);
      const model = new Map<DocId, (typeof changes)[number]>();
      for (const one of changes) {
        log.note(one.docId, one.row, one.isAllotted);
        if (!model.has(one.docId)) model.set(one.docId, one);
        expect(log.heldBytes).toBeLessThan(bytesMax);
      }
      const found = new Map([...log.documents()].map((before) => [before.docId, before]));
      expect(found.size).toBe(model.size);
      for (const [docId, { row, isAllotted }] of model) {
        expect(found.get(docId)!.row).toEqual(row);
        expect(log.isAllotted(docId)).toBe(isAllotted);
      }
      log.close();
      expect([...log.documents()]).toEqual([]);
    }),
    { seed, numRuns: 200 },
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('a payload of any size takes four megabytes and some bits of each document', () => {
  const folder = scratchFolder();
  const log = new UndoLog(() => openUndoFile(folder));
  let heldMax = 0;
  for (let docId = 0 as DocId; docId < 60_000; docId++) {
    log.note(docId, docId % 2 === 0 ? undefined : new Uint8Array(1_000).fill(docId), docId % 2 === 0);
    heldMax = Math.max(heldMax, log.heldBytes);
  }
  expect(heldMax).toBeLessThan(4 << 20);
  let wrongCount = 0;
  for (const { docId, row } of log.documents()) if (row?.some((byte) => byte !== (docId & 255))) wrongCount += 1;
  expect(wrongCount).toBe(0);
  log.close();
});

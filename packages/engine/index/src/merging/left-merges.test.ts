/** Merges that end with their process, anywhere: the next process takes them up although nothing is written. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import { addition } from '@fossick/documents/addition.test-support';
import { readManifest, rowsOf } from '@fossick/format';
import { openLmdbStore } from '@fossick/storage';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PendingMerges } from '../catalogue/pending-merges.js';
import { openEngineWriter } from '../open-writer.js';
import type { BatchOperation } from '../operations/operation.js';
import type { EngineWriter } from '../port.js';
import type { WriteContext } from '../transaction/write-context.js';

const seed = TEST_SEED;
const [SEQUENCES, LIVES] = [Number(process.env['FOSSICK_TEST_ROUNDS'] ?? runsOf(8)), 10];
const IDS = 4_000;
/** Live documents up to which a segment is of the lowest tier, and of the next; of each three may be left. */
const TIERS = [1_000, 4_000];
const TIER_MAX = 3;
/** So little memory that a merge pauses often. */
const maxIndexingBytes = 1 << 20;
const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-left-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

let state = seed;
/** A number from 0 to `count` - 1 (a linear congruence, of which the high bits count). */
function upTo(count: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * count);
}

/** A batch of one to three writes of some hundred documents. */
function operations(): BatchOperation[] {
  return Array.from({ length: 1 + upTo(3) }, (): BatchOperation => {
    const from = upTo(IDS);
    if (upTo(4) === 0)
      return {
        type: 'documentDeletion',
        target: { by: 'ids', ids: Array.from({ length: 150 }, (_, at) => `${(from + at * 3) % IDS}`) },
      };
    const payloadFile = join(folder, `payload-${upTo(2 ** 31)}.ndjson`);
    const rows = Array.from({ length: 100 + upTo(700) }, (_, at) => ({
      id: (from + at) % IDS,
      text: `word${at % 97}`,
    }));
    writeFileSync(payloadFile, rows.map((row) => JSON.stringify(row)).join('\n'));
    return addition(payloadFile, { primaryKey: 'id' });
  });
}
const open = (rootFolder: string): EngineWriter =>
  openEngineWriter({ rootFolder, maxSearchBytes: 4 << 20, maxIndexingBytes });
const uid = 'merged';

/** Numbers of live documents of each segment, as the manifest has them. */
async function liveCounts(rootFolder: string): Promise<number[]> {
  const [name] = readdirSync(join(rootFolder, 'indexes'));
  const store = openLmdbStore({ folder: join(rootFolder, 'indexes', name!) });
  try {
    return readManifest(rowsOf(store)).segments.map(({ docCount, deadCount }) => docCount - deadCount);
  } finally {
    await store.close();
  }
}

it(`are taken up by the next process, wherever they ended, seed ${seed}`, async () => {
  let [brokenOff, most] = [0, 0];
  for (let sequence = 0; sequence < SEQUENCES; sequence += 1) {
    const rootFolder = join(folder, `${sequence}`);
    for (let life = 0; life < LIVES; life += 1) {
      const writer = open(rootFolder);
      if (life === 0) writer.createIndex(uid, 'id');
      for (let left = upTo(4); left > 0; left -= 1) await writer.applyDocuments(uid, operations(), context);
      // what a writer that is closed has not committed is lost, as in a process that is killed
      let isMore = true;
      for (let left = upTo(6); left > 0 && isMore; left -= 1) isMore = await writer.mergeOnce(uid);
      if (isMore) brokenOff += 1;
      await writer.close();
    }
    const writer = open(rootFolder);
    const merges = new PendingMerges();
    merges.lookFor(writer);
    for (let found = merges.next(); found !== undefined; found = merges.next())
      if (found !== null && !(await writer.mergeOnce(found))) merges.delete(found);
    await writer.close();
    const counts = await liveCounts(rootFolder);
    most = Math.max(most, counts.length);
    for (const [at, bound] of TIERS.entries()) {
      const ofTier = counts.filter((count) => count <= bound && count > (TIERS[at - 1] ?? -1));
      expect([sequence, counts, ofTier.length <= TIER_MAX]).toEqual([sequence, counts, true]);
    }
    const next = open(rootFolder);
    expect([...next.mergesDue()].filter((due) => due !== null)).toEqual([]);
    expect(await next.mergeOnce(uid)).toBe(false);
    await next.close();
  }
  expect(brokenOff).toBeGreaterThan(SEQUENCES);
  console.log(
    `seed ${seed}: ${SEQUENCES * LIVES} lives, ${brokenOff} with a merge under way; up to ${most} segments at rest`,
  );
}, 600_000);

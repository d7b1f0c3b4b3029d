import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSummary, writeSummary } from './index-summaries.js';
import { type IndexSummary, unknownSummary } from './index-summary.js';

const folder = mkdtempSync(join(tmpdir(), 'fossick-summary-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'summary.json');

function summary(commit: number, fields: number): IndexSummary {
  const known = unknownSummary('2026-01-01T00:00:00Z');
  const names = Array.from({ length: fields }, (_, at) => [`größe ${at}`, at]);
  return { ...known, commit, stats: { ...known.stats, fieldDistribution: Object.fromEntries(names) } };
}

describe('the summary next to a store', () => {
  it('is read as it was written, longer and shorter than the one before, in a file that never becomes shorter', () => {
    let bytes = 0;
    for (const [commit, fields] of [1, 200, 3, 0, 201].entries()) {
      writeSummary(folder, summary(commit, fields));
      expect(readSummary(folder)).toEqual(summary(commit, fields));
      expect(statSync(file).size).toBeGreaterThanOrEqual(bytes);
      bytes = statSync(file).size;
    }
  });

  it('is none while it is half overwritten, wherever the writing is', () => {
    writeSummary(folder, summary(7, 40));
    const before = readFileSync(file);
    writeSummary(folder, summary(8, 40));
    const after = readFileSync(file);
    const first = before.findIndex((byte, at) => byte !== after[at]);
    for (let at = first + 1; at < after.lastIndexOf('}'); at += 1) {
      writeFileSync(file, Buffer.concat([after.subarray(0, at), before.subarray(at)]));
      const found = readSummary(folder);
      if (found !== undefined) expect(at).toBeGreaterThan(after.lastIndexOf('endCommit'));
    }
    writeFileSync(file, after.subarray(0, 100));
    expect(readSummary(folder)).toBeUndefined();
  });

  it('of an earlier release is read', () => {
    writeFileSync(file, JSON.stringify(summary(3, 1)));
    expect(readSummary(folder)).toEqual(summary(3, 1));
  });
});

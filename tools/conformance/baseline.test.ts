import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { compareFigures, percentOf, raiseBaseline, readBaseline } from './baseline.mjs';

describe('conformance baseline', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fossick-baseline-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('cuts percents, so a written figure was reached', () => {
    expect(percentOf({ passed: 2, total: 3 })).toBe(66.66);
    expect(percentOf({ passed: 0, total: 0 })).toBe(0);
  });

  it('flags a figure below its floor and one that went missing', () => {
    const rows = compareFigures(
      [
        { name: 'movies/word', passed: 1, total: 2 },
        { name: 'movies/typo', passed: 2, total: 2 },
      ],
      { 'movies/word': 60, 'movies/gone': 10, 'cities/word': 90 },
      ['movies'],
    );
    expect(rows.map((row: { name: string; isHeld: boolean }) => [row.name, row.isHeld])).toEqual([
      ['movies/word', false],
      ['movies/typo', true],
      ['movies/gone', false],
    ]);
  });

  it('raises and never lowers', () => {
    const file = join(folder, 'baseline.json');
    writeFileSync(file, JSON.stringify({ 'a/high': 90, 'a/low': 10 }));
    const raised = raiseBaseline(
      [
        { name: 'a/high', passed: 1, total: 2 },
        { name: 'a/low', passed: 1, total: 2 },
        { name: 'a/new', passed: 0, total: 2 },
      ],
      file,
    );
    expect(raised).toBe(2);
    expect(readBaseline(file)).toEqual({ 'a/high': 90, 'a/low': 50, 'a/new': 0 });
  });
});

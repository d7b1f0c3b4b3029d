import type { TaskType } from '@fossick/api';
import { describe, expect, it } from 'vitest';
import { ProgressTracker } from './progress.js';

/** A tracker whose clock says what `at.ms` is. */
function trackerOf(type: TaskType, added?: readonly string[]): { tracker: ProgressTracker; at: { ms: number } } {
  const at = { ms: 0 };
  return { tracker: new ProgressTracker(type, added, () => at.ms), at };
}
const shown = (tracker: ProgressTracker): string[] =>
  tracker.progress().steps.map(({ currentStep, finished, total }) => `${currentStep} ${finished}/${total}`);

describe('progress of a batch', () => {
  it('nests steps by the table and counters into the step that runs', () => {
    const { tracker } = trackerOf('documentAdditionOrUpdate');
    expect(shown(tracker)).toEqual(['processing tasks 0/2']);
    expect(tracker.report('computing document changes', 0, 1)).toBe(true);
    expect(tracker.report('document', 5, 20)).toBe(true);
    expect(tracker.report('document', 10, 20)).toBe(false);
    expect(shown(tracker)).toEqual(['processing tasks 0/2', 'computing document changes 1/4', 'document 10/20']);
    // 100 * (0/2 + 1/(2*4) + 10/(2*4*20))
    expect(tracker.progress().percentage).toBeCloseTo(18.75);
    tracker.report('indexing', 0, 1);
    tracker.report('extracting words', 0, 1);
    tracker.report('document', 1, 4);
    expect(shown(tracker)).toEqual(['processing tasks 0/2', 'indexing 3/4', 'extracting words 5/24', 'document 1/4']);
    tracker.report('merging word caches', 0, 1);
    expect(shown(tracker).slice(2)).toEqual(['merging word caches 9/24']);
    tracker.report('committing', 0, 1);
    expect(shown(tracker)).toEqual(['processing tasks 0/2', 'committing 0/2']);
    tracker.report('writing tasks to disk', 0, 1);
    expect(shown(tracker)).toEqual(['writing tasks to disk 1/2']);
    expect(tracker.progress().percentage).toBe(50);
  });

  it('knows the steps of an added kind, and names their sub-steps, one in place of the other', () => {
    const { tracker } = trackerOf('export', ['look', 'send the indexes', 'tell']);
    tracker.report('send the indexes', 0, 2);
    tracker.report('films', 0, 2);
    tracker.report('books', 1, 2);
    expect(shown(tracker)).toEqual(['processing tasks 0/2', 'send the indexes 1/3', 'books 1/2']);
    tracker.report('tell', 0, 1);
    expect(shown(tracker)).toEqual(['processing tasks 0/2', 'tell 2/3']);
  });

  it('finds the steps of both kinds in a batch that mixes settings and documents', () => {
    const { tracker } = trackerOf('settingsUpdate');
    tracker.report('delete documents', 0, 1);
    tracker.report('apply the settings', 0, 1);
    tracker.report('using stable indexer', 0, 1);
    expect(shown(tracker)).toEqual(['processing tasks 0/2', 'apply the settings 1/2', 'using stable indexer 1/6']);
  });

  it('traces every path once, inner before outer', () => {
    const { tracker, at } = trackerOf('documentAdditionOrUpdate');
    tracker.report('indexing', 0, 1);
    for (const step of ['extracting words', 'merging word caches', 'extracting words']) {
      tracker.report(step, 0, 1);
      at.ms += 600;
    }
    tracker.report('writing tasks to disk', 0, 1);
    at.ms += 0.0421;
    expect(Object.entries(tracker.finish())).toEqual([
      ['processing tasks > indexing > extracting words', '1.20s'],
      ['processing tasks > indexing > merging word caches', '600.00ms'],
      ['processing tasks > indexing', '1.80s'],
      ['processing tasks', '1.80s'],
      ['writing tasks to disk', '42.10µs'],
    ]);
  });
});

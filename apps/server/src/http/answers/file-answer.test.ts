import { describe, expect, test } from 'vitest';
import { readRange } from './file-answer.js';

describe('a range of a file of 10 bytes', () => {
  const cases: readonly (readonly [string | undefined, readonly [number, number] | 'whole' | 'none'])[] = [
    ['bytes=0-0', [0, 0]],
    ['bytes=3-5', [3, 5]],
    ['bytes=3-', [3, 9]],
    ['bytes=9-9', [9, 9]],
    ['bytes=0-99999999999999999999', [0, 9]],
    ['bytes=-4', [6, 9]],
    ['bytes=-11', [0, 9]],
    ['BYTES= 2-4 ', [2, 4]],
    ['bytes=10-', 'none'],
    ['bytes=99999999999999999999-', 'none'],
    ['bytes=-0', 'none'],
    [undefined, 'whole'],
    ['', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=5-3', 'whole'],
    ['bytes=0-1,4-5', 'whole'],
    ['bytes=0x1-4', 'whole'],
    ['bytes=1.5-4', 'whole'],
    ['items=0-4', 'whole'],
    ['bytes=--4', 'whole'],
  ];
  test.each(cases)('%s', (header, wanted) => {
    const span = readRange(header, 10);
    expect(span === undefined ? 'whole' : span === null ? 'none' : [span.start, span.end]).toEqual(wanted);
  });

  test('nothing is in an empty file', () => {
    expect(readRange('bytes=0-', 0)).toBe(null);
    expect(readRange('bytes=-1', 0)).toBe(null);
    expect(readRange(undefined, 0)).toBe(undefined);
  });
});

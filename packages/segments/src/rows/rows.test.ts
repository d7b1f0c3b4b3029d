import type { SegmentId } from '@fossick/base';
import { expect, test } from 'vitest';
import { CHUNK_BYTES, PARTS, putChunks, type RowReader, readSpan, readSpans } from './rows.js';

const bytes = Uint8Array.from({ length: 3 * CHUNK_BYTES + 777 }, (_, at) => (at * 7919) >>> 3);
const stored = new Map<string, Uint8Array>();
putChunks(
  { put: (_table, key, value) => void stored.set(Buffer.from(key).toString('hex'), value.slice()) },
  5 as SegmentId,
  PARTS.windows,
  bytes,
);
let reads = 0;
const rows: RowReader = {
  get: (_table, key) => stored.get(Buffer.from(key).toString('hex')),
  read: (_table, key, use) => {
    reads += 1;
    const row = stored.get(Buffer.from(key).toString('hex'));
    return row === undefined ? undefined : use(row);
  },
};
const part = { segmentId: 5 as SegmentId, part: PARTS.windows };

test.each([
  ['beside each other in one row', [0, 10, 10, 30, 500, 900], 1],
  ['across the end of a row', [5, 9, CHUNK_BYTES - 3, CHUNK_BYTES + 4, CHUNK_BYTES + 4, CHUNK_BYTES + 5], 4],
  ['up to the end of a row, and longer than one', [CHUNK_BYTES - 8, CHUNK_BYTES, CHUNK_BYTES, 2 * CHUNK_BYTES + 9], 4],
  ['up to the end of all', [3 * CHUNK_BYTES, bytes.length], 1],
  ['empty', [7, 7], 1],
  ['none', [], 0],
])('spans %s are read as they were written', (_, spans, rowCount) => {
  const wanted = Buffer.concat(
    Array.from({ length: spans.length / 2 }, (_, at) => bytes.subarray(spans[2 * at], spans[2 * at + 1])),
  );
  const found = Buffer.alloc(wanted.length);
  reads = 0;
  readSpans(rows, part, spans, (piece, at) => found.set(piece, at));
  expect(found.equals(wanted)).toBe(true);
  expect(reads).toBe(rowCount);
});

test('a span beyond the part is refused by either way of reading', () => {
  const [from, to] = [bytes.length - 4, bytes.length + 1];
  expect(() => readSpan(rows, { ...part, from, to }, () => undefined)).toThrow('ends before byte');
  expect(() => readSpans(rows, part, [from, to], () => undefined)).toThrow('ends before byte');
});

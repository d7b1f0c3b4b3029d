import type { SegmentId } from '@fossick/base';
import { describe, expect, test } from 'vitest';
import { PartReader, PartWriter } from './part-stream.js';
import {
  CHUNK_BYTES,
  getChunks,
  LIST_ROW_BYTES,
  PARTS,
  partByteCount,
  putPart,
  type RowReader,
  readSpan,
  readSpans,
} from './rows.js';

const SEGMENT = 5 as SegmentId;
let reads = 0;
/** A store in memory that counts reads. */
function rowsInMemory(): RowReader & { put(table: string, key: Uint8Array, value: Uint8Array): void } {
  const stored = new Map<string, Uint8Array>();
  return {
    get: (_table, key) => stored.get(Buffer.from(key).toString('hex')),
    read: (_table, key, use) => {
      reads += 1;
      const row = stored.get(Buffer.from(key).toString('hex'));
      return row === undefined ? undefined : use(row);
    },
    put: (_table, key, value) => void stored.set(Buffer.from(key).toString('hex'), value.slice()),
  };
}

describe.each([
  ['of earlier releases', CHUNK_BYTES],
  ['of today', LIST_ROW_BYTES],
])('rows of lists %s', (_, rowBytes) => {
  const bytes = Uint8Array.from({ length: 3 * rowBytes + 777 }, (_, at) => (at * 7919) >>> 3);
  const place = { segmentId: SEGMENT, part: PARTS.windows, firstChunk: 0, rowBytes };
  const rows = rowsInMemory();
  putPart(rows, place, bytes);

  test.each([
    ['next to each other in one row', [0, 10, 10, 30, 500, 900], 1],
    ['across the end of a row', [5, 9, rowBytes - 3, rowBytes + 4, rowBytes + 4, rowBytes + 5], 4],
    ['up to the end of a row, and longer than one', [rowBytes - 8, rowBytes, rowBytes, 2 * rowBytes + 9], 4],
    ['up to the end of all', [3 * rowBytes, bytes.length], 1],
    ['empty', [7, 7], 1],
    ['none', [], 0],
  ])('spans %s are read as they were written', (_, spans, rowCount) => {
    const wanted = Buffer.concat(
      Array.from({ length: spans.length / 2 }, (_, at) => bytes.subarray(spans[2 * at], spans[2 * at + 1])),
    );
    const found = Buffer.alloc(wanted.length);
    reads = 0;
    readSpans(rows, place, spans, (piece, at) => found.set(piece, at));
    expect(found.equals(wanted)).toBe(true);
    expect(reads).toBe(rowCount);
  });

  test('a span beyond the part is refused by either way of reading', () => {
    const [from, to] = [bytes.length - 4, bytes.length + 1];
    expect(() => readSpan(rows, place, from, to, () => undefined)).toThrow('ends before byte');
    expect(() => readSpans(rows, place, [from, to], () => undefined)).toThrow('ends before byte');
  });

  test('all of them are read at once, and one after another', () => {
    expect(getChunks(rows, SEGMENT, PARTS.windows, 0, rowBytes)).toEqual(bytes);
    const reader = new PartReader(rows, place);
    const ends = [0, 300, rowBytes + 5, 3 * rowBytes, bytes.length];
    for (const [at, end] of ends.entries())
      if (at > 0) expect(Buffer.compare(reader.read(ends[at - 1]!, end), bytes.subarray(ends[at - 1], end))).toBe(0);
  });
});

test('a part that is written piece by piece has the rows of one that is written at once', () => {
  const bytes = Uint8Array.from({ length: 5 * LIST_ROW_BYTES + 9 }, (_, at) => (at * 7919) >>> 3);
  const rows = rowsInMemory();
  const writer = new PartWriter(rows, {
    segmentId: SEGMENT,
    part: PARTS.fuzzyPostings,
    firstChunk: 0,
    rowBytes: LIST_ROW_BYTES,
  });
  for (let at = 0; at < bytes.length; at += 1_000) writer.append(bytes.subarray(at, at + 1_000));
  writer.finish();
  expect(writer.byteCount).toBe(bytes.length);
  expect(getChunks(rows, SEGMENT, PARTS.fuzzyPostings, 0, LIST_ROW_BYTES)).toEqual(bytes);
});

test.each([
  0,
  1,
  CHUNK_BYTES - 1,
  CHUNK_BYTES,
  CHUNK_BYTES + 1,
  2 * CHUNK_BYTES,
  5 * CHUNK_BYTES + 7,
  64 * CHUNK_BYTES,
  65 * CHUNK_BYTES - 1,
])('a part of %i bytes is measured by its last row, which is found by some reads', (byteCount) => {
  const rows = rowsInMemory();
  for (const field of [0, 1]) {
    const place = { segmentId: SEGMENT, part: PARTS.facetColumn, firstChunk: field * 65_536, rowBytes: CHUNK_BYTES };
    putPart(rows, place, new Uint8Array(byteCount));
    reads = 0;
    expect(partByteCount(rows, place)).toBe(byteCount);
    expect(reads).toBeLessThanOrEqual(16);
  }
});

/** Views with random vectors, in memory or in rows. */
import type { DocId, DocIds, SegmentId } from '@fossick/base';
import type { RowReader } from '@fossick/format';
import { type Bitmap, createKernel, type Kernel, type None, type VectorKind } from '@fossick/kernel';
import { scanIndex } from '../graph/vector-index.js';
import { ValueWriter } from '../rows/vector-rows.js';
import type { VectorView } from './nearest.js';
import { VectorReader } from './vector-reader.js';

/** Numbers from 0 to 1, without 1, the same for the same seed (xorshift). */
export function randomOf(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

export interface ViewShape {
  readonly docCount: number;
  readonly segmentCount: number;
  readonly dimCount: number;
  readonly kind: VectorKind;
  /** Whether exact numbers are read from rows. */
  readonly isInRows: boolean;
  /** The most vectors of a document. */
  readonly vectorsMax: number;
  /** The share of the documents that were deleted. */
  readonly deletedShare: number;
  readonly number: () => number;
}

export interface RandomView {
  readonly view: VectorView;
  /** The vectors of each document that was not deleted. */
  readonly vectorsOf: ReadonlyMap<DocId, Float32Array>;
  /** The vectors, as the view has them open. */
  readonly readers: readonly VectorReader[];
}

/** Each segment has a range of the docids. */
export function randomView(shape: ViewShape, random: () => number): RandomView {
  const kernel = createKernel();
  const { docCount, segmentCount, deletedShare } = shape;
  const vectorsOf = new Map<DocId, Float32Array>();
  const readers: VectorReader[] = [];
  const segments: { readonly deleted: Bitmap | None; readonly vectors: () => VectorReader }[] = [];
  for (let at = 0; at < segmentCount; at++) {
    const deleted = kernel.bitmaps.create(docCount);
    const [from, to] = [at, at + 1].map((part) => Math.floor((part * docCount) / segmentCount));
    const vectors = Array.from({ length: to! - from! }, () => vectorsOfOne(shape, random));
    const docIds = vectors.flatMap(({ length }, i) => Array.from({ length: length / shape.dimCount }, () => from! + i));
    for (const [i, numbers] of vectors.entries())
      if (random() < deletedShare) kernel.bitmaps.set(deleted, (from! + i) as DocId);
      else vectorsOf.set((from! + i) as DocId, numbers);
    const values = Float32Array.from(vectors.flatMap((numbers) => [...numbers]));
    const reader = readerOf(kernel, shape, at as SegmentId, Uint32Array.from(docIds) as DocIds, values);
    readers.push(reader);
    segments.push({ deleted, vectors: () => reader });
  }
  return { view: { kernel, segments, documentCount: vectorsOf.size }, vectorsOf, readers };
}

function vectorsOfOne({ vectorsMax, dimCount, number }: ViewShape, random: () => number): Float32Array {
  const count = 1 + Math.floor(random() * vectorsMax);
  return Float32Array.from({ length: count * dimCount }, number);
}

function readerOf(
  kernel: Kernel,
  { dimCount, kind, isInRows }: ViewShape,
  segmentId: SegmentId,
  docIds: DocIds,
  values: Float32Array,
): VectorReader {
  const table = { tableIndex: 0, name: 'e', dimCount, count: docIds.length, graph: null };
  const index = scanIndex(kernel, kind, { dimCount, docIds, values });
  const stored = new Map<string, Uint8Array>();
  const keyOf = (key: Uint8Array): string => Buffer.from(key).toString('hex');
  const writer = new ValueWriter({ put: (_, key, row) => stored.set(keyOf(key), row) }, segmentId, 0, dimCount);
  writer.add(values);
  writer.flush();
  const rows: RowReader = {
    get: (_, key) => stored.get(keyOf(key)),
    read: (_, key, use) => {
      const row = stored.get(keyOf(key));
      return row === undefined ? undefined : use(row);
    },
  };
  return new VectorReader(rows, segmentId, table, index, isInRows ? null : values);
}

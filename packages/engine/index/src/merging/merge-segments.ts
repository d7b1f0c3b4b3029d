import type { DocId } from '@fossick/base';
import { mergeFacets, mergeGeoBoxes } from '@fossick/columns';
import type { MergePlan, MergeRows } from '@fossick/format';
import { DocSet, LIST_ROW_BYTES, PARTS, putChunks, readFieldNames, type SegmentInfo } from '@fossick/format';
import type { Kernel } from '@fossick/kernel';
import { type MergeMemory, UNCOUNTED } from '@fossick/kernel/memory';
import {
  mergeWordCounts,
  SegmentPairs,
  SegmentWindows,
  TableMerge,
  type TableWork,
  type WordSource,
} from '@fossick/postings';
import { mergeVectorTables, quantizedNames } from '@fossick/vectors';
import { docPagesOf, writePages } from '../documents/doc-pages.js';
import { readDocs } from '../documents/document-sets.js';
import { readSettings } from '../documents/stored-settings.js';
import { writeResidentBitmap } from '../view/resident-bitmap.js';

/** Approximate bytes of a document in its sets. */
const DOC_BYTES = 4;

/**
 * Merges segments into one without the documents that the plan lists as deleted. Writes its rows; O(total size). Yields
 * often, with the approximate number of bytes written since; after a yield `rows` may belong to another transaction,
 * but its segments stay the same.
 */
export function* mergeSegments(
  kernel: Kernel,
  rows: MergeRows,
  { sources: planned, target, manifest }: MergePlan,
  memory: MergeMemory = UNCOUNTED,
): Generator<number, SegmentInfo> {
  const bitCount = Math.max(1, manifest.docIdBound);
  const setOf = new Map(planned.map(({ info }) => [info, readDocs(rows, info.id, manifest)]));
  // lists whose documents follow one another are joined without holding their occurrences
  const sources = [...planned]
    .sort((left, right) => setOf.get(left.info)!.first - setOf.get(right.info)!.first)
    .map(
      ({ info, deletedDocs }): WordSource => ({
        info,
        deletedDocs,
        deleted: deletedDocs.count === 0 ? 0 : writeResidentBitmap(kernel, deletedDocs, bitCount),
      }),
    );
  let windows: SegmentWindows | null = null;
  try {
    const docs = new DocSet();
    for (const { info, deletedDocs } of sources) docs.addWithout(setOf.get(info)!, deletedDocs);
    writePages(rows, docPagesOf(target), docs);
    putChunks(rows, target, PARTS.wordCounts, mergeWordCounts(rows, sources));
    putChunks(rows, target, PARTS.geoBoxes, mergeGeoBoxes(rows, sources));
    yield docs.count * DOC_BYTES;
    const facets = yield* mergeFacets(rows, sources, target, memory);
    const holders = sources.map(({ info, deletedDocs }) => ({
      segmentId: info.id,
      isDeleted: (docId: DocId) => deletedDocs.has(docId),
    }));
    const quantized = quantizedNames(readSettings(rows));
    yield* mergeVectorTables({ kernel, rows, sources: holders, target, isQuantized: (name) => quantized.has(name) });
    const lastDoc = Math.max(0, docs.bound - 1) as DocId;
    const docRange = { firstDoc: docs.first, lastDoc, docCount: docs.count };
    windows = SegmentWindows.begin(kernel, rows, target, docRange, readFieldNames(rows).length);
    const pairs = new SegmentPairs(kernel, rows, target, docRange, sources);
    const work: TableWork = { kernel, rows, sources, target, windows, pairs, memory };
    const fuzzy = yield* new TableMerge(work, 0).write();
    const exact = yield* new TableMerge(work, 1).write();
    yield windows?.finish() ?? 0;
    yield* pairs.write();
    const info: SegmentInfo = {
      id: target,
      docCount: docs.count,
      deadCount: 0,
      wordCounts: [fuzzy.wordCount, exact.wordCount],
      postingBytes: fuzzy.postingBytes + exact.postingBytes,
      rowBytes: LIST_ROW_BYTES,
      ...facets,
    };
    return info;
  } finally {
    windows?.close();
    for (const { deleted } of sources) if (deleted !== 0) kernel.memory.free(deleted);
  }
}

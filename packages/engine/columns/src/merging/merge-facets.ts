import type { DocId, FieldId, SegmentId } from '@fossick/base';
import {
  CHUNK_BYTES,
  columnsIdOf,
  encodeTrigrams,
  fieldChunk,
  getChunks,
  type MergeRows,
  type MergeSource,
  PARTS,
  type PartLocation,
  PartWriter,
  partByteCount,
  putChunks,
  type RowReader,
  type RowSource,
  readerOf,
  readSpan,
  type SegmentInfo,
  segmentKey,
  TABLES,
} from '@fossick/format';
import type { MergeMemory } from '@fossick/kernel/memory';
import { isCoordinate } from '../building/segment-columns.js';
import { type ColumnParts, columnPieces, readColumn } from '../bytes/column-format.js';
import { copyOfSpan, type StoredBytes, storedInMemory } from '../bytes/column-spans.js';
import {
  BOUNDS_BYTES,
  curveKeyOf,
  encodeGeoPoints,
  GEO_HEADER_BYTES,
  geoHeader,
  geoPointCount,
  LEAF_BYTES,
  LEAF_POINTS,
  LeafWriter,
  pointsOfColumns,
} from '../bytes/geo-points-format.js';
import { GeoBoxWriter, visitGeoBoxes } from '../geo/box-rows.js';
import { mergedParts } from './merge-columns.js';

/** Leaves of an input that are in memory at a time. */
const LEAVES_PER_READ = 64;

/** A column is held twice: what it is made of, and what is made. */
const COLUMN_FORMS = 2;
/** In each of these forms: a trigram table, and what counts its lists. */
const TRIGRAM_FORMS = 2;
const NO_BYTES = new Uint8Array(0);

/**
 * Bytes that a merge of these segments holds for its largest column. The size of each column is measured by `measure`,
 * for example with a cache. O(columns of all segments)
 */
export function columnMergeBytes(
  segments: readonly SegmentInfo[],
  measure: (info: SegmentInfo) => ReadonlyMap<FieldId, number>,
): number {
  const byField = new Map<FieldId, number>();
  for (const info of segments)
    for (const [fieldId, bytes] of measure(info)) byField.set(fieldId, (byField.get(fieldId) ?? 0) + bytes);
  let most = 0;
  for (const bytes of byField.values()) most = Math.max(most, bytes);
  return COLUMN_FORMS * most;
}

/** Bytes of each column of a segment and of what is made with it. Some reads for each. */
export function columnByteCounts(rows: RowSource | RowReader, info: SegmentInfo): ReadonlyMap<FieldId, number> {
  return new Map(
    info.facetFieldIds.map((fieldId) => [
      fieldId,
      partByteCount(rows, locationOf(columnsIdOf(info), PARTS.facetColumn, fieldChunk(fieldId))) +
        TRIGRAM_FORMS * trigramBytesOf(rows, info, fieldId),
    ]),
  );
}

/** Writes the columns and points of a merged segment; yields the bytes written since. */
export function* mergeFacets(
  rows: MergeRows,
  sources: readonly MergeSource[],
  target: SegmentId,
  memory: MergeMemory,
): Generator<number, Pick<SegmentInfo, 'facetFields' | 'facetFieldIds'>> {
  const fields = new Map<string, FieldId>();
  for (const { info } of sources)
    for (const [index, field] of info.facetFields.entries()) fields.set(field, info.facetFieldIds[index]!);
  for (const fieldId of fields.values()) {
    const column = new PartWriter(rows, locationOf(target, PARTS.facetColumn, fieldChunk(fieldId)));
    const parts = mergedColumn(rows, sources, fieldId, memory);
    for (const piece of columnPieces(parts)) column.append(piece);
    column.finish();
    const trigrams = hasTrigrams(rows, sources, fieldId) ? encodeTrigrams(parts, true) : NO_BYTES;
    putChunks(rows, target, PARTS.facetTrigrams, trigrams, fieldChunk(fieldId));
    memory.hold(0);
    yield column.byteCount + trigrams.length;
  }
  // the latitude first
  const coordinates = [...fields.keys()]
    .filter(isCoordinate)
    .sort()
    .map((field) => fields.get(field)!);
  if (coordinates.length === 2) yield* mergePoints(rows, sources, target, coordinates);
  return { facetFields: [...fields.keys()], facetFieldIds: [...fields.values()] };
}

/** The inputs are garbage on return. */
function mergedColumn(
  rows: MergeRows,
  sources: readonly MergeSource[],
  fieldId: FieldId,
  memory: MergeMemory,
): ColumnParts {
  const inputs = sources.flatMap((source) => {
    const bytes = columnOf(rows, source.info, fieldId);
    return bytes === undefined ? [] : [{ bytes, isDeleted: isDeletedIn(source) }];
  });
  const trigramBytes = sources.reduce((sum, { info }) => sum + trigramBytesOf(rows, info, fieldId), 0);
  memory.hold(COLUMN_FORMS * inputs.reduce((sum, { bytes }) => sum + bytes.length, TRIGRAM_FORMS * trigramBytes));
  return mergedParts(inputs);
}

/** All segments of an index have tables of the same fields: a change of the setting indexes all documents again. */
function hasTrigrams(rows: MergeRows, sources: readonly MergeSource[], fieldId: FieldId): boolean {
  return sources.some(
    ({ info }) =>
      rows.get(TABLES.segments, segmentKey(columnsIdOf(info), PARTS.facetTrigrams, fieldChunk(fieldId))) !== undefined,
  );
}

function trigramBytesOf(rows: RowSource | RowReader, info: SegmentInfo, fieldId: FieldId): number {
  return partByteCount(rows, locationOf(columnsIdOf(info), PARTS.facetTrigrams, fieldChunk(fieldId)));
}

function isDeletedIn({ deletedDocs }: MergeSource): ((docId: DocId) => boolean) | undefined {
  return deletedDocs.count === 0 ? undefined : (docId) => deletedDocs.has(docId);
}

function columnOf(rows: MergeRows, info: SegmentInfo, fieldId: FieldId): Uint8Array | undefined {
  return getChunks(rows, columnsIdOf(info), PARTS.facetColumn, fieldChunk(fieldId));
}

function locationOf(segmentId: SegmentId, part: PartLocation['part'], firstChunk = 0): PartLocation {
  return { segmentId, part, firstChunk, rowBytes: CHUNK_BYTES };
}

/** Bounds precede the leaves, but are known after them: the row in which leaves begin, and those before it, are put last. */
function* mergePoints(
  rows: MergeRows,
  sources: readonly MergeSource[],
  target: SegmentId,
  coordinates: readonly FieldId[],
): Generator<number, void> {
  const merge = new GeoPointsMerge(
    sources.flatMap((source): GeoInput[] => {
      const stored = pointsOf(rows, source.info, coordinates);
      return stored === undefined ? [] : [{ stored, isDeleted: isDeletedIn(source) }];
    }),
  );
  const sharedChunk = Math.floor(merge.headBytes / CHUNK_BYTES);
  const shared = new Uint8Array(CHUNK_BYTES);
  let used = merge.headBytes % CHUNK_BYTES;
  const leaves = new PartWriter(rows, locationOf(target, PARTS.geoPoints, sharedChunk + 1));
  for (const leaf of merge.leaves()) {
    const taken = Math.min(leaf.length, CHUNK_BYTES - used);
    shared.set(leaf.subarray(0, taken), used);
    used += taken;
    leaves.append(leaf.subarray(taken));
    yield leaf.length;
  }
  leaves.finish();
  const head = merge.head();
  shared.set(head.subarray(sharedChunk * CHUNK_BYTES));
  putChunks(rows, target, PARTS.geoPoints, head.subarray(0, sharedChunk * CHUNK_BYTES));
  rows.put(TABLES.segments, segmentKey(target, PARTS.geoPoints, sharedChunk), shared.subarray(0, used));
}

/** The points of a segment; those of segments of earlier releases are made from their columns. */
function pointsOf(rows: MergeRows, info: SegmentInfo, coordinates: readonly FieldId[]): StoredBytes | undefined {
  const reader: RowReader = 'read' in rows ? rows : readerOf(rows);
  const place = locationOf(columnsIdOf(info), PARTS.geoPoints);
  if (rows.get(TABLES.segments, segmentKey(place.segmentId, place.part, 0)) !== undefined)
    return { read: (from, to, take) => readSpan(reader, place, from, to, take) };
  const columns = coordinates.map((fieldId) => columnOf(rows, info, fieldId));
  if (columns.includes(undefined)) return undefined;
  const [lat, lng] = columns.map((bytes) => readColumn(bytes!));
  return storedInMemory(encodeGeoPoints(pointsOfColumns(lat!, lng!)));
}

interface GeoInput {
  readonly stored: StoredBytes;
  /** Undefined when no document is deleted. */
  readonly isDeleted: ((docId: DocId) => boolean) | undefined;
}

/**
 * Points of several segments as those of one, without deleted documents. Those of a segment are in the order of the curve, so
 * they are merged leaf by leaf; only bounds are held for all of them.
 */
export class GeoPointsMerge {
  private readonly inputs: readonly GeoInput[];
  private readonly pointCount: number;
  private readonly bounds: Float64Array;

  /** O(points of inputs with deleted documents) */
  constructor(inputs: readonly GeoInput[]) {
    this.inputs = inputs;
    this.pointCount = inputs.reduce((sum, input) => sum + liveCount(input), 0);
    this.bounds = new Float64Array((Math.ceil(this.pointCount / LEAF_POINTS) * BOUNDS_BYTES) / 8);
  }

  /** Bytes before the leaves. */
  get headBytes(): number {
    return GEO_HEADER_BYTES + this.bounds.byteLength;
  }

  /** The bytes before the leaves, once all leaves were made. */
  head(): Uint8Array {
    const head = new Uint8Array(this.headBytes);
    head.set(geoHeader(this.pointCount));
    head.set(new Uint8Array(this.bounds.buffer), GEO_HEADER_BYTES);
    return head;
  }

  /** The leaves in order; each is valid until the next one. O(points * inputs) */
  *leaves(): Generator<Uint8Array, void> {
    const streams = this.inputs.map((input) => new PointStream(input)).filter((stream) => stream.advance());
    const leaf = new LeafWriter(this.bounds);
    while (streams.length > 0) {
      let least = streams[0]!;
      for (const stream of streams)
        if (stream.key < least.key || (stream.key === least.key && stream.doc < least.doc)) least = stream;
      leaf.add(least.doc, least.lat, least.lng);
      if (leaf.isFull) yield leaf.take();
      if (!least.advance()) streams.splice(streams.indexOf(least), 1);
    }
    if (!leaf.isEmpty) yield leaf.take();
  }
}

function liveCount({ stored, isDeleted }: GeoInput): number {
  if (isDeleted === undefined) return countOf(stored);
  let count = 0;
  for (const stream = new PointStream({ stored, isDeleted }); stream.advance(); ) count += 1;
  return count;
}

function countOf(stored: StoredBytes): number {
  return geoPointCount(new Uint32Array(copyOfSpan(stored, 0, GEO_HEADER_BYTES).buffer));
}

/** The live points of one input, one by one. */
class PointStream {
  private readonly input: GeoInput;
  private readonly pointCount: number;
  private readonly leavesAt: number;
  private buffer = new ArrayBuffer(0);
  private next = 0;
  doc = 0;
  lat = 0;
  lng = 0;
  /** The index of the point's cell on the curve. */
  key = 0;

  constructor(input: GeoInput) {
    this.input = input;
    this.pointCount = countOf(input.stored);
    this.leavesAt = GEO_HEADER_BYTES + Math.ceil(this.pointCount / LEAF_POINTS) * BOUNDS_BYTES;
  }

  private docs = new Uint32Array(0);
  private lats = new Float64Array(0);
  private lngs = new Float64Array(0);

  /** False at the end. */
  advance(): boolean {
    const { isDeleted } = this.input;
    while (this.next < this.pointCount) {
      const at = this.next % LEAF_POINTS;
      if (at === 0) this.openLeaf(this.next / LEAF_POINTS);
      this.next += 1;
      this.doc = this.docs[at]!;
      if (isDeleted?.(this.doc as DocId) === true) continue;
      this.lat = this.lats[at]!;
      this.lng = this.lngs[at]!;
      this.key = curveKeyOf(this.lat, this.lng);
      return true;
    }
    return false;
  }

  private openLeaf(leaf: number): void {
    const inRead = leaf % LEAVES_PER_READ;
    if (inRead === 0) {
      const end = Math.min(leaf + LEAVES_PER_READ, Math.ceil(this.pointCount / LEAF_POINTS));
      const { stored } = this.input;
      this.buffer = copyOfSpan(stored, this.leavesAt + leaf * LEAF_BYTES, this.leavesAt + end * LEAF_BYTES).buffer;
    }
    const at = inRead * LEAF_BYTES;
    this.docs = new Uint32Array(this.buffer, at, LEAF_POINTS);
    this.lats = new Float64Array(this.buffer, at + 4 * LEAF_POINTS, LEAF_POINTS);
    this.lngs = new Float64Array(this.buffer, at + 12 * LEAF_POINTS, LEAF_POINTS);
  }
}

/** The boxes around shapes of documents that are not deleted, as one part. */
export function mergeGeoBoxes(rows: RowSource, sources: readonly MergeSource[]): Uint8Array {
  const merged = new GeoBoxWriter();
  for (const { info, deletedDocs } of sources) {
    const bytes = getChunks(rows, columnsIdOf(info), PARTS.geoBoxes);
    if (bytes === undefined) continue;
    visitGeoBoxes(bytes, (docId, box) => {
      if (!deletedDocs.has(docId)) merged.add(docId, box);
    });
  }
  return merged.encode();
}

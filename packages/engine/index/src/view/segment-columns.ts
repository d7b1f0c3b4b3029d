import type { FieldId } from '@fossick/base';
import {
  ColumnReader,
  type ColumnSegment,
  encodeGeoPoints,
  GeoPoints,
  pointsOfColumns,
  readColumn,
  type StoredBytes,
} from '@fossick/columns';
import {
  CHUNK_BYTES,
  columnsIdOf,
  fieldChunk,
  getChunks,
  PARTS,
  type PartLocation,
  type RowReader,
  readSpan,
  type SegmentInfo,
  type SegmentPart,
  segmentKey,
  TABLES,
} from '@fossick/format';
import type { Kernel, Structures } from '@fossick/kernel';
import type { EvictingMemory } from '@fossick/kernel/memory';

function columnLocation(info: SegmentInfo, part: SegmentPart, firstChunk = 0): PartLocation {
  return { segmentId: columnsIdOf(info), part, firstChunk, rowBytes: CHUNK_BYTES };
}

/** The segment of columns. */
interface ColumnsHome extends Pick<ColumnSegment, 'deleted'> {
  /** Where its structures are. */
  readonly structures: Structures;
}

/** The columns, points and boxes of one segment, until they are rebuilt under another id. */
export class SegmentColumns {
  private readonly segment: ColumnsHome;
  private readonly kernel: Kernel;
  private readonly memory: EvictingMemory;
  private readonly rows: RowReader;
  private readonly info: SegmentInfo;
  private readonly structures: Structures;
  /** By field; null: the segment has none. */
  private readonly byField = new Map<string, ColumnReader | null>();
  /** Null: the segment has none. */
  private points: GeoPoints | null | undefined;
  /** Null: the segment has none. */
  private boxes: Uint8Array | null | undefined;

  constructor(segment: ColumnsHome, kernel: Kernel, memory: EvictingMemory, rows: RowReader, info: SegmentInfo) {
    this.structures = segment.structures.scope(`columns ${columnsIdOf(info)}:`);
    this.segment = segment;
    this.kernel = kernel;
    this.memory = memory;
    this.rows = rows;
    this.info = info;
  }

  column(field: string): ColumnReader | undefined {
    let column = this.byField.get(field);
    if (column === undefined) {
      const stored = this.storedColumn(field);
      const { segment, kernel, memory } = this;
      const parts = { trigrams: this.trigrams(field), structures: this.structures.scope(`${this.fieldIdOf(field)}:`) };
      column = stored === undefined ? null : new ColumnReader(segment, kernel, memory, stored, parts);
      this.byField.set(field, column);
    }
    return column ?? undefined;
  }

  geoPoints(): GeoPoints | undefined {
    this.points ??= this.openPoints() ?? null;
    return this.points ?? undefined;
  }

  geoBoxes(): Uint8Array | undefined {
    this.boxes ??= getChunks(this.rows, columnsIdOf(this.info), PARTS.geoBoxes) ?? null;
    return this.boxes ?? undefined;
  }

  /** Frees its kernel memory. Only between views. */
  close(): void {
    for (const column of this.byField.values()) column?.close();
    this.byField.clear();
    this.points?.close();
    this.points = undefined;
    this.boxes = undefined;
  }

  private storedColumn(field: string): StoredBytes | undefined {
    const fieldId = this.fieldIdOf(field);
    if (fieldId === undefined) return undefined;
    const { rows } = this;
    const place = columnLocation(this.info, PARTS.facetColumn, fieldChunk(fieldId));
    return { read: (from, to, take) => readSpan(rows, place, from, to, take) };
  }

  /** The trigram table of the values of a field; null for fields without the setting `substringAttributes`. */
  private trigrams(field: string): StoredBytes | null {
    const { rows } = this;
    const place = columnLocation(this.info, PARTS.facetTrigrams, fieldChunk(this.fieldIdOf(field)!));
    const isStored = rows.read(TABLES.segments, segmentKey(place.segmentId, place.part, place.firstChunk), () => true);
    return isStored === true ? { read: (from, to, take) => readSpan(rows, place, from, to, take) } : null;
  }

  /** Segments of earlier releases lack the part: it is derived from their columns. */
  private openPoints(): GeoPoints | undefined {
    const { rows, segment, memory } = this;
    const place = columnLocation(this.info, PARTS.geoPoints);
    const isStored = rows.read(TABLES.segments, segmentKey(place.segmentId, place.part, 0), () => true);
    if (isStored === true)
      return new GeoPoints(segment, memory, { read: (from, to, take) => readSpan(rows, place, from, to, take) });
    const sides = ['_geo.lat', '_geo.lng'].map((field) => this.fieldIdOf(field));
    if (sides.includes(undefined)) return undefined;
    return new GeoPoints(segment, memory, () => {
      const [lat, lng] = sides.map((fieldId) =>
        readColumn(getChunks(rows, place.segmentId, PARTS.facetColumn, fieldChunk(fieldId!))!),
      );
      return encodeGeoPoints(pointsOfColumns(lat!, lng!));
    });
  }

  private fieldIdOf(field: string): FieldId | undefined {
    const position = this.info.facetFields.indexOf(field);
    return position < 0 ? undefined : this.info.facetFieldIds[position];
  }
}

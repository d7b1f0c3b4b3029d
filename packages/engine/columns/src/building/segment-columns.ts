import type { DocId, DocIds, FieldId, LocalOrdinal, SegmentId } from '@fossick/base';
import type { FieldNames, JsonObject } from '@fossick/documents';
import type { SegmentInfo } from '@fossick/format/building';
import { encodeTrigrams, fieldChunk, PARTS, putChunks, type RowSink, type SegmentRows } from '@fossick/format/building';
import type { IndexSettings } from '@fossick/settings';
import { isFacetedField } from '@fossick/settings/indexing';
import { readColumn } from '../bytes/column-format.js';
import { encodeGeoPoints, pointsOfColumns } from '../bytes/geo-points-format.js';
import { GeoBoxWriter } from '../geo/box-rows.js';
import { boxOf, geometriesOf } from '../geo/shape.js';
import { SegmentFacets } from './segment-facets.js';

/** Writes facet columns and boxes under an id; returns their part of the manifest. */
export function writeColumns(
  sink: SegmentRows,
  columnsId: SegmentId,
  collected: { readonly facets: SegmentFacets; readonly boxes: GeoBoxWriter | undefined; readonly docIds: Uint32Array },
  fields: FieldNames,
): Pick<SegmentInfo, 'facetFields' | 'facetFieldIds'> {
  const { facets, boxes, docIds } = collected;
  if (boxes !== undefined) putChunks(sink, columnsId, PARTS.geoBoxes, boxes.encode());
  const facetFields: string[] = [];
  const facetFieldIds: FieldId[] = [];
  const coordinates = new Map<string, Uint8Array>();
  for (const [field, column] of facets.columns(docIds)) {
    const fieldId = fields.add(field);
    putChunks(sink, columnsId, PARTS.facetColumn, column, fieldChunk(fieldId));
    if (facets.hasTrigrams(field))
      putChunks(sink, columnsId, PARTS.facetTrigrams, encodeTrigrams(readColumn(column), true), fieldChunk(fieldId));
    facetFields.push(field);
    facetFieldIds.push(fieldId);
    if (isCoordinate(field)) coordinates.set(field, column);
  }
  putGeoPoints(sink, columnsId, coordinates);
  return { facetFields, facetFieldIds };
}

const [LAT, LNG] = ['_geo.lat', '_geo.lng'];

/** Whether the field's column is a coordinate of points. */
export function isCoordinate(field: string): boolean {
  return field === LAT || field === LNG;
}

/** Writes the points of a segment from the columns of their coordinates; nothing when it has none. O(points) */
function putGeoPoints(sink: SegmentRows, columnsId: SegmentId, columns: ReadonlyMap<string, Uint8Array>): void {
  const [lat, lng] = [columns.get(LAT!), columns.get(LNG!)];
  if (lat === undefined || lng === undefined) return;
  putChunks(sink, columnsId, PARTS.geoPoints, encodeGeoPoints(pointsOfColumns(readColumn(lat), readColumn(lng))));
}

/** A writer of boxes when the settings need them. */
export function boxWriter(settings: IndexSettings): GeoBoxWriter | undefined {
  return isFacetedField(settings, '_geojson') ? new GeoBoxWriter() : undefined;
}

/** Records the box of a document's shape. Shapes were checked when their document was received. */
export function addShape(boxes: GeoBoxWriter | undefined, docId: DocId, value: unknown): void {
  if (boxes === undefined || value === undefined || value === null) return;
  const box = boxOf(geometriesOf(value));
  if (box !== undefined) boxes.add(docId, box);
}

export interface RebuildOptions {
  readonly settings: IndexSettings;
  readonly fields: FieldNames;
  /** Reads a stored document. */
  readonly document: (docId: DocId) => JsonObject | undefined;
}

/**
 * Rewrites the columns of stored documents under an id of their own; the segment's other parts are unchanged.
 * O(documents).
 */
export function rebuildColumns(
  sink: RowSink,
  columnsId: SegmentId,
  docIds: DocIds,
  { settings, fields, document }: RebuildOptions,
): Pick<SegmentInfo, 'facetFields' | 'facetFieldIds'> {
  const facets = new SegmentFacets(settings);
  const boxes = boxWriter(settings);
  for (let ordinal = 0; ordinal < docIds.length; ordinal++) {
    const docId = docIds[ordinal]!;
    const stored = document(docId);
    if (stored === undefined) continue;
    facets.addDocument(ordinal as LocalOrdinal, stored);
    addShape(boxes, docId, stored['_geojson']);
  }
  return writeColumns(sink, columnsId, { facets, boxes, docIds }, fields);
}

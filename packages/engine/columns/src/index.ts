export { collectFacetValues } from './collect-values.js';
export { FacetColumnBuilder, type FacetKind } from './column-builder.js';
export {
  type ColumnParts,
  columnPieces,
  readColumn,
  SAME_SPELLING,
  SPELLING_BY_DOC,
  spellingAt,
  textAt,
} from './column-format.js';
export { type ColumnRanks, columnRanks } from './column-ranks.js';
export { ColumnReader } from './column-reader.js';
export { copyOfSpan, type SpanMemory, type StoredBytes, storedInMemory } from './column-spans.js';
export { createDistinct, type Distinct } from './distinct.js';
export {
  checkFacets,
  type FacetDistribution,
  facetDistribution,
  facetFields,
  knownFacets,
  numberText,
} from './distribution.js';
export { evaluateFilter, visibleForeign } from './evaluate-filter.js';
export { numberOf } from './filter-number.js';
export { distanceMetres, leastMetres, mostMetres } from './geo-distance.js';
export { GeoPoints } from './geo-points.js';
export {
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
} from './geo-points-format.js';
export { GeoBoxWriter, visitGeoBoxes } from './geojson/box-rows.js';
export { boxOf, GeojsonFault, geometriesOf } from './geojson/shape.js';
export { GroupWindows } from './group-windows.js';
export { type ColumnSegment, type ColumnView, type ForeignScope, liveDocument, type WithForeign } from './port.js';
export { featuresOf, isFacetedField, isSortableField, rulePatterns } from './rules.js';
export { type FacetHit, type SearchFacetParams, searchFacet } from './search-facet.js';
export type { SortBucket, SortCursor } from './sort-cursor.js';
export { createSorter } from './sorter.js';

export { collectFacetValues } from './collect-values.js';
export { FacetColumnBuilder, type FacetKind } from './column-builder.js';
export { readColumn } from './column-format.js';
export { type MergeInput, mergeColumns } from './column-merge.js';
export { type ColumnRanks, columnRanks } from './column-ranks.js';
export { ColumnReader } from './column-reader.js';
export { type SpanMemory, type StoredBytes, storedInMemory } from './column-spans.js';
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
export { encodeGeoPoints, pointsOfColumns } from './geo-points-format.js';
export { GeoBoxWriter, visitGeoBoxes } from './geojson/box-rows.js';
export { boxOf, GeojsonFault, geometriesOf } from './geojson/shape.js';
export { type ColumnSegment, type ColumnView, type ForeignScope, liveDocument, type WithForeign } from './port.js';
export { featuresOf, isFacetedField, isSortableField, rulePatterns } from './rules.js';
export { type FacetHit, type SearchFacetParams, searchFacet } from './search-facet.js';
export type { SortBucket, SortCursor } from './sort-cursor.js';
export { createSorter } from './sorter.js';

export { collectFacetValues } from './building/collect-values.js';
export { rebuildColumns } from './building/segment-columns.js';
export { readColumn } from './bytes/column-format.js';
export { hasRoundedNumbers, type StoredBytes } from './bytes/column-spans.js';
export { encodeGeoPoints, pointsOfColumns } from './bytes/geo-points-format.js';
export { columnReaders } from './column-readers.js';
export { earliestExpiry, expiryOf, orExpired } from './expiry.js';
export { createDistinct, type Distinct } from './facets/distinct.js';
export {
  checkFacets,
  type FacetDistribution,
  facetDistribution,
  facetFields,
} from './facets/distribution.js';
export { GroupWalk } from './facets/group-walk.js';
export { type FacetLevel, facetLevels, hierarchyOf } from './facets/hierarchy.js';
export { type NumberSummary, numberSummary } from './facets/number-summary.js';
export { numberText } from './facets/number-text.js';
export { searchFacet } from './facets/search-facet.js';
export { type FieldValue, ValueDocs } from './facets/value-docs.js';
export { evaluateFilter, visibleForeign } from './filter/evaluate-filter.js';
export { boundOf } from './filter/filter-number.js';
export { GeojsonFault, geometriesOf } from './geo/shape.js';
export { distanceMetres, greatCircleMetres, leastMetres, mostMetres } from './geo-distance.js';
export { columnByteCounts, columnMergeBytes, mergeFacets, mergeGeoBoxes } from './merging/merge-facets.js';
export { type ColumnSegment, type ColumnView, type ForeignScope, liveDocument, type WithForeign } from './port.js';
export { ColumnReader } from './reading/column-reader.js';
export { GeoPoints } from './reading/geo-points.js';
export { GroupWindows } from './reading/group-windows.js';
export { scoreValues } from './score/score-values.js';
export { DocNumbers } from './sort/doc-numbers.js';
export type { SortCursor } from './sort/sort-cursor.js';
export { SortPoints } from './sort/sort-points.js';
export { createSorter, eachSortValue } from './sort/sorter.js';

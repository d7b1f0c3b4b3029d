/** What writes columns: without what reads them, for the thread that only builds segments. */
export { collectFacetValues } from './collect-values.js';
export { FacetColumnBuilder, type FacetKind } from './column-builder.js';
export { readColumn } from './column-format.js';
export { encodeGeoPoints, pointsOfColumns } from './geo-points-format.js';
export { GeoBoxWriter } from './geojson/box-rows.js';
export { boxOf, geometriesOf } from './geojson/shape.js';
export { isFacetedField } from './rules.js';

/** What writes columns: without what reads them, for the thread that only builds segments. */
export { addShape, boxWriter, writeColumns } from './building/segment-columns.js';
export { SegmentFacets } from './building/segment-facets.js';
export { GeoBoxWriter } from './geo/box-rows.js';

export { GeoBoxWriter, visitGeoBoxes } from './box-rows.js';
export { boxRegions, circleRegion, type LatLng, polygonRegion, type Region } from './region.js';
export { boxOf, GeojsonFault, geometriesOf } from './shape.js';
export { shapeMatches } from './shape-matches.js';

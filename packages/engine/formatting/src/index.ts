export type { HitParams } from './field-plan.js';
export { type GeoPoint, geoPointOfSort } from './geo-distance.js';
export {
  buildHit,
  createHitFormatter,
  type FormatHit,
  type FormattedHit,
  type HitFormatterInput,
  type MatchPosition,
  type MatchPositions,
} from './hit-formatter.js';
export type { LocatedTerm } from './matching-terms.js';

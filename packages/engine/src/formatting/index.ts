export type { HitParams } from "./field-plan.js";
export { geoPointOfSort, type GeoPoint } from "./geo-distance.js";
export {
  buildHit,
  createHitFormatter,
  inFieldOrder,
  type FormatHit,
  type FormattedHit,
  type HitFormatterInput,
  type MatchPosition,
  type MatchPositions,
} from "./hit-formatter.js";
export type { LocatedTerm } from "./matching-terms.js";
export { isJsonObject, pruneFields, selectFields, setOwn, type JsonObject } from "./select-fields.js";

import { apiError, own } from '@fossick/base';
import { GeojsonFault, geometriesOf } from '@fossick/columns';
import { type JsonObject, LosslessFloat, numberIn } from '@fossick/documents';
import { type IndexSettings, isFacetedField } from '@fossick/settings';

/** A decimal float, as `-1.5e3`, `.5` or `5.`. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Which reserved geographic fields the settings use. */
export interface GeoChecks {
  readonly isGeoUsed: boolean;
  readonly isGeojsonUsed: boolean;
  /** Stored points were checked before, some by an earlier release, which took every text that Number() reads: `0x10`, ` 2 `. */
  readonly wasGeoUsed: boolean;
}

export function geoChecksOf(settings: IndexSettings, before: IndexSettings): GeoChecks {
  return {
    isGeoUsed: isFacetedField(settings, '_geo'),
    isGeojsonUsed: isFacetedField(settings, '_geojson'),
    wasGeoUsed: isFacetedField(before, '_geo'),
  };
}

/**
 * Checks the geographic fields in use. `isReceived`: the request has a `_geo`, else it is the stored one. Throws ApiError
 * invalid_document_geo_field when `_geo` is neither null nor exactly `{lat, lng}` of finite numbers or texts of decimal floats,
 * invalid_document_geojson_field when `_geojson` is neither null nor GeoJSON.
 */
export function checkGeo(document: JsonObject, checks: GeoChecks, externalId: string, isReceived = false): void {
  if (checks.isGeoUsed) checkPoint(document, externalId, checks.wasGeoUsed && !isReceived);
  if (checks.isGeojsonUsed) checkShape(document, externalId);
}

function checkShape(document: JsonObject, externalId: string): void {
  const shape = document['_geojson'];
  if (shape === undefined || shape === null) return;
  try {
    geometriesOf(shape);
  } catch (error) {
    if (!(error instanceof GeojsonFault)) throw error;
    throw apiError('invalid_document_geojson_field', externalId, error.message);
  }
}

function checkPoint(document: JsonObject, externalId: string, isEarlier: boolean): void {
  const geo = document['_geo'];
  if (geo === undefined || geo === null) return;
  const fault = geoFault(geo, isEarlier);
  if (fault !== undefined) {
    throw apiError('invalid_document_geo_field', externalId, fault);
  }
}

function geoFault(geo: unknown, isEarlier: boolean): string | undefined {
  if (typeof geo !== 'object' || geo === null || Array.isArray(geo) || geo instanceof LosslessFloat)
    return 'it must be an object with `lat` and `lng`, or null';
  const extra = Object.keys(geo).find((key) => key !== 'lat' && key !== 'lng');
  if (extra !== undefined) return `\`${extra}\` is not known; only \`lat\` and \`lng\` are allowed`;
  for (const part of ['lat', 'lng']) {
    if (!Object.hasOwn(geo, part)) return `\`${part}\` is missing`;
    if (!isNumeric(own(geo as JsonObject, part), isEarlier))
      return `\`${part}\` must be a finite number or a numeric string`;
  }
  return undefined;
}

function isNumeric(value: unknown, isEarlier: boolean): boolean {
  const number = numberIn(value);
  if (number !== undefined) return Number.isFinite(number);
  if (typeof value !== 'string' || !Number.isFinite(Number(value))) return false;
  return isEarlier ? value.trim() !== '' : DECIMAL.test(value);
}

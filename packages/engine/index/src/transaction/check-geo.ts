import { apiError, own } from '@fossick/base';
import { GeojsonFault, geometriesOf } from '@fossick/columns';
import { type JsonObject, LosslessFloat, numberIn } from '@fossick/documents';
import type { IndexSettings } from '@fossick/settings';
import { isFacetedField } from '@fossick/settings';

/** Which reserved geographic fields the settings use. */
export interface GeoChecks {
  readonly isGeoUsed: boolean;
  readonly isGeojsonUsed: boolean;
}

export function geoChecksOf(settings: IndexSettings): GeoChecks {
  return {
    isGeoUsed: isFacetedField(settings, '_geo'),
    isGeojsonUsed: isFacetedField(settings, '_geojson'),
  };
}

/**
 * Checks the geographic fields in use. Throws ApiError invalid_document_geo_field when `_geo` is neither null nor
 * exactly `{lat, lng}` of finite numbers or numeric strings, invalid_document_geojson_field when `_geojson` is neither
 * null nor GeoJSON.
 */
export function checkGeo(document: JsonObject, checks: GeoChecks, externalId: string): void {
  if (checks.isGeoUsed) checkPoint(document, externalId);
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

function checkPoint(document: JsonObject, externalId: string): void {
  const geo = document['_geo'];
  if (geo === undefined || geo === null) return;
  const fault = geoFault(geo);
  if (fault !== undefined) {
    throw apiError('invalid_document_geo_field', externalId, fault);
  }
}

function geoFault(geo: unknown): string | undefined {
  if (typeof geo !== 'object' || geo === null || Array.isArray(geo) || geo instanceof LosslessFloat)
    return 'it must be an object with `lat` and `lng`, or null';
  const extra = Object.keys(geo).find((key) => key !== 'lat' && key !== 'lng');
  if (extra !== undefined) return `\`${extra}\` is not known; only \`lat\` and \`lng\` are allowed`;
  for (const part of ['lat', 'lng']) {
    if (!Object.hasOwn(geo, part)) return `\`${part}\` is missing`;
    if (!isNumeric(own(geo as JsonObject, part))) return `\`${part}\` must be a finite number or a numeric string`;
  }
  return undefined;
}

function isNumeric(value: unknown): boolean {
  const number = numberIn(value);
  if (number !== undefined) return Number.isFinite(number);
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
}

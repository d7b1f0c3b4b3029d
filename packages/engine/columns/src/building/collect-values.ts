import { type ExactNumber, exactIn, LosslessFloat, numberIn } from '@fossick/documents/stored';
import type { FacetKind } from './column-builder.js';

/** Called for each value or flag of a faceted field. `value`: a number for 'number', the original string for 'string', else absent. */
export type FacetVisit = (field: string, kind: FacetKind, value?: ExactNumber | string) => void;

/**
 * Walks a document and visits what is stored for filtering: names are flattened with dots, arrays are transparent, every
 * nested level is visited. A field may be visited several times. `_geo`, when faceted, gives the numbers `_geo.lat` and `_geo.lng`.
 */
export function collectFacetValues(
  document: Readonly<Record<string, unknown>>,
  isFaceted: (field: string) => boolean,
  visit: FacetVisit,
): void {
  const walk = (field: string, value: unknown, isInArray: boolean): void => {
    const isKept = isFaceted(field);
    if (typeof value === 'object' && value !== null && !(value instanceof LosslessFloat)) {
      const isEmpty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
      if (isKept) visit(field, isEmpty && !isInArray ? 'empty' : 'exists');
      if (Array.isArray(value)) for (const item of value) walk(field, item, true);
      else for (const [key, item] of Object.entries(value)) walk(`${field}.${key}`, item, false);
      return;
    }
    if (isKept) visitScalar(field, value, isInArray, visit);
  };
  for (const [key, value] of Object.entries(document)) {
    if (key === '_geo' && isFaceted('_geo')) visitGeo(value, visit);
    // the shapes are no filterable values: their boxes are a part of the segment
    else if (key === '_geojson' && isFaceted('_geojson')) visit('_geojson', value === null ? 'null' : 'exists');
    else walk(key, value, false);
  }
}

function visitScalar(field: string, value: unknown, isInArray: boolean, visit: FacetVisit): void {
  const number = exactIn(value);
  if (number !== undefined) {
    if (Number.isFinite(Number(number))) visit(field, 'number', number);
  } else if (typeof value === 'boolean') {
    visit(field, 'string', String(value));
  } else if (typeof value === 'string' && value !== '') {
    visit(field, 'string', value);
  } else if (value === null) {
    visit(field, isInArray ? 'exists' : 'null');
  } else if (value === '') {
    visit(field, isInArray ? 'exists' : 'empty');
    visit(field, 'blank');
  }
}

/** The shape of `_geo` was checked when the document was received; numeric strings count as numbers, of earlier releases also `0x10` and ` 2 `. */
function visitGeo(value: unknown, visit: FacetVisit): void {
  if (value === null) return visit('_geo', 'null');
  visit('_geo', 'exists');
  if (typeof value !== 'object') return;
  for (const [key, part] of Object.entries(value)) {
    const number = typeof part === 'string' && part.trim() !== '' ? Number(part) : numberIn(part);
    if ((key === 'lat' || key === 'lng') && typeof number === 'number' && Number.isFinite(number)) {
      visit(`_geo.${key}`, 'number', number);
    }
  }
}

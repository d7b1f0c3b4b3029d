import { SortError } from './tree.js';

export type SortDirection = 'asc' | 'desc';
/** One entry of `sort`. */
export type SortEntry =
  | { readonly kind: 'field'; readonly field: string; readonly direction: SortDirection }
  | { readonly kind: 'geo'; readonly lat: number; readonly lng: number; readonly direction: SortDirection };

const POINT_FORM = '`_geoPoint(latitude, longitude)` followed by `:asc` or `:desc`';
const RESERVED = ['_geoDistance'];
const FILTERS_ONLY = ['_geo', '_geoRadius', '_geoBoundingBox', '_geoPolygon'];

/** Parses the entries of a `sort` parameter; the text before the last colon is the field. Throws SortError. */
export function parseSort(entries: readonly string[]): SortEntry[] {
  return entries.map(parseEntry);
}

function parseEntry(item: string): SortEntry {
  const entry = item.trim();
  const colon = entry.lastIndexOf(':');
  const direction = entry.slice(colon + 1);
  if (colon < 0 || (direction !== 'asc' && direction !== 'desc')) {
    throw new SortError(`The sort entry \`${item}\` must end with \`:asc\` or \`:desc\`.`);
  }
  const field = entry.slice(0, colon);
  if (field.startsWith('_geoPoint')) return { ...parsePoint(item, field), direction };
  const name = field.replace(/\(.*$/s, '');
  if (FILTERS_ONLY.includes(name)) {
    throw new SortError(`\`${name}\` is reserved and cannot be sorted by; ${POINT_FORM} is what sorts by coordinates.`);
  }
  if (RESERVED.includes(name)) throw new SortError(`\`${name}\` is reserved and cannot be sorted by.`);
  return { kind: 'field', field, direction };
}

function parsePoint(item: string, text: string): { readonly kind: 'geo'; readonly lat: number; readonly lng: number } {
  const match = /^_geoPoint\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)$/.exec(text);
  const [lat, lng] = [Number(match?.[1] ?? NaN), Number(match?.[2] ?? NaN)];
  if (!Number.isFinite(lat) || !Number.isFinite(lng)) {
    throw new SortError(`The sort entry \`${item}\` is malformed; the form is ${POINT_FORM}.`);
  }
  if (lat < -90 || lat > 90) throw new SortError(`Latitude \`${lat}\` in \`${item}\` must be between -90 and 90.`);
  if (lng < -180 || lng > 180) throw new SortError(`Longitude \`${lng}\` in \`${item}\` must be between -180 and 180.`);
  return { kind: 'geo', lat, lng };
}

import { collectFacetValues, numberText } from '@fossick/columns';
import type { FacetValue } from './request.js';

/** Field and text, as facets show it, of every value that the document has in the fields. O(document). */
export function facetValues(document: Readonly<Record<string, unknown>>, fields: ReadonlySet<string>): FacetValue[] {
  const values: FacetValue[] = [];
  collectFacetValues(
    document,
    (field) => fields.has(field),
    (field, _kind, value) => {
      if (value !== undefined) values.push({ field, text: typeof value === 'string' ? value : numberText(value) });
    },
  );
  return values;
}

import { asApiError, checkFilterSize } from '@fossick/filter';
import type { Parser } from './fields.js';

/** A filter is text or arrays; the engine judges what is inside. Arrays of more than a filter may hold go no further. */
export const filterValue: Parser<unknown> = (value, { code }) => {
  asApiError(code, () => checkFilterSize(value));
  return value;
};

/** Both filters have to hold; a tenant token's never gives way to the request's. */
export function bothFilters(requested: unknown, tenant: unknown): unknown {
  if (tenant === null || tenant === undefined) return requested;
  if (requested === null) return tenant;
  const conjuncts = (filter: unknown): unknown[] => (Array.isArray(filter) ? filter : [filter]);
  return [...conjuncts(tenant), ...conjuncts(requested)];
}

import { asApiError, checkFilterSize } from '@fossick/filter';
import type { Parser } from './fields.js';

/** A filter is text or arrays; the engine parses the content. Arrays beyond the limits of a filter are rejected here. */
export const filterValue: Parser<unknown> = (value, { code }) => {
  asApiError(code, () => checkFilterSize(value));
  return value;
};

/** Both filters must hold; a tenant token's filter cannot be overridden. */
export function bothFilters(requested: unknown, tenant: unknown): unknown {
  if (tenant === null || tenant === undefined) return requested;
  if (requested === null) return tenant;
  const conjuncts = (filter: unknown): unknown[] => (Array.isArray(filter) ? filter : [filter]);
  return [...conjuncts(tenant), ...conjuncts(requested)];
}

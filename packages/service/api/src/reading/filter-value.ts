/** Both filters must hold; a tenant token's filter cannot be overridden. */
export function bothFilters(requested: unknown, tenant: unknown): unknown {
  if (tenant === null || tenant === undefined) return requested;
  if (requested === null) return tenant;
  const conjuncts = (filter: unknown): unknown[] => (Array.isArray(filter) ? filter : [filter]);
  return [...conjuncts(tenant), ...conjuncts(requested)];
}

import { apiError } from '@fossick/base';
import { FilterError, firstGatedUse, type GatedFeature, type GatedUse, mayBeGated, parseFilter } from '@fossick/filter';

/** Throws feature_not_enabled when a filter uses a disabled experimental feature. */
export function checkFilterGates(filter: unknown, features: SearchFeatures): void {
  if (filter === null) return;
  const use = gatedUse(filter, (feature) => features.isOn(feature));
  if (use === undefined) return;
  throw apiError('feature_not_enabled', 'filter', use.operator, use.feature, use.context);
}

/** Throws when a filter of a write uses another index: only reads may. */
export function refuseForeign(filter: unknown): void {
  const use = filter === null ? undefined : gatedUse(filter, (feature) => feature !== 'foreignKeys');
  if (use === undefined) return;
  throw apiError('invalid_document_filter', 'readOnlyOperator', use.operator, use.context);
}

/** Both for the filter of a write. */
export function checkWriteFilter(filter: unknown, features: SearchFeatures): void {
  checkFilterGates(filter, features);
  refuseForeign(filter);
}

/** A malformed filter uses nothing: its evaluation reports the error, with its own code. */
function gatedUse(filter: unknown, isOn: (feature: GatedFeature) => boolean): GatedUse | undefined {
  if (!mayBeGated(filter, isOn)) return undefined;
  try {
    const parsed = parseFilter(filter);
    return parsed === null ? undefined : firstGatedUse(parsed, isOn);
  } catch (error) {
    if (error instanceof FilterError) return undefined;
    throw error;
  }
}

/** Experimental features that a request may use. */
export interface SearchFeatures {
  readonly isOn: (feature: string) => boolean;
}

/** Both filters must hold; a tenant token's filter cannot be overridden. */
export function bothFilters(requested: unknown, tenant: unknown): unknown {
  if (tenant === null || tenant === undefined) return requested;
  if (requested === null) return tenant;
  const conjuncts = (filter: unknown): unknown[] => (Array.isArray(filter) ? filter : [filter]);
  return [...conjuncts(tenant), ...conjuncts(requested)];
}

export { FacetColumnBuilder, type FacetKind } from './column-builder.js';
export { mergeColumns, type MergeInput } from './column-merge.js';
export { collectFacetValues, type FacetVisit } from './collect-values.js';
export { normalizeFacetText } from './facet-text.js';
export { customRuleField, featuresOf, isFacetedField, isSortableField, rulePatterns, type FieldFeatures } from './rules.js';
export { evaluateFilter } from './evaluate-filter.js';
export { createSorter, type SortBucket, type SortCursor } from './sorter.js';
export { createDistinct, type Distinct } from './distinct.js';
export { distanceMetres } from './geo.js';

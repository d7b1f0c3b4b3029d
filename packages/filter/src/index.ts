export { canonicalText } from './canonical.js';
export { type GatedFeature, type GatedUse, gatedUses } from './gated.js';
export { filterOf, parseFilter } from './parse.js';
export { matchesPattern } from './pattern.js';
export { parseSort, type SortDirection, type SortEntry, SortError } from './sort.js';
export {
  type CompareOperator,
  contextLine,
  type Filter,
  FilterError,
  type FilterNode,
  type FilterValue,
  type GeoPair,
  type VectorPart,
} from './tree.js';

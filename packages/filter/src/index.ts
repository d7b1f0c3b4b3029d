export { matchesPattern } from './pattern.js';
export { filterOf, parseFilter } from './parse.js';
export { canonicalText } from './canonical.js';
export { gatedUses, type GatedFeature, type GatedUse } from './gated.js';
export { parseSort, SortError, type SortDirection, type SortEntry } from './sort.js';
export {
  contextLine,
  FilterError,
  type CompareOperator,
  type Filter,
  type FilterNode,
  type FilterValue,
  type GeoPair,
  type VectorPart,
} from './tree.js';

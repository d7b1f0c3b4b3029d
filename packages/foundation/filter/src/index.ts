export { canonicalText } from './canonical.js';
export { firstGatedUse, type GatedFeature, type GatedUse, mayBeGated } from './gated.js';
export { checkFilterSize, filterOf, parseFilter } from './parse.js';
export { matchesPattern, PatternList, type PatternReach, PrefixTable, type RankedPattern } from './pattern.js';
export { asApiError, readFilter } from './read-filter.js';
export { parseSort } from './sort.js';
export { type SortDirection, type SortEntry, SortError } from './sort-entry.js';
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

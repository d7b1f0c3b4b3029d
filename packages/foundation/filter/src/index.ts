export { canonicalText } from './canonical.js';
export { firstGatedUse, type GatedFeature, type GatedUse, mayBeGated } from './gated.js';
export { checkFilterSize, filterOf, parseFilter } from './parse.js';
export { matchesPattern } from './pattern.js';
export { PatternList, type PatternReach, PrefixTable, type RankedPattern } from './pattern-list.js';
export { asApiError, readFilter } from './read-filter.js';
export { parseSort, type SortDirection, type SortEntry } from './sort.js';
export {
  type CompareOperator,
  contextLine,
  type Filter,
  FilterError,
  type FilterNode,
  type FilterValue,
  type GeoPair,
  SortError,
  type VectorPart,
} from './tree.js';

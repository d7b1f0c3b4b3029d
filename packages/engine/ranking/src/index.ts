export {
  type BucketSortOptions,
  bucketSort,
  type DistinctField,
  type RankedDocument,
  type RankedPage,
} from './bucket-sort.js';
export {
  buildKeywordQuery,
  locatedStopWords,
  locatedTerms,
  parseQueryText,
  reachedTerms,
  removeNegatives,
} from './keyword-query.js';
export { buildRules } from './rule-list.js';
export { globalScore, isRanked, type ScoreDetail, scoreDetailsJson } from './rules/score-details.js';
export { BitmapPool } from './terms/bitmap-pool.js';
export { fieldWeights, restrictFields } from './terms/field-scope.js';
export { TermDocs } from './terms/term-docs.js';

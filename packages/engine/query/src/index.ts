export { Lexicon, type ListsBySegment } from './lexicon.js';
export {
  buildQueryGraph,
  END,
  type GraphNode,
  graphOfPaths,
  type MatchingStrategy,
  nodeIdCount,
  type PathNodes,
  type QueryGraph,
  removalGroups,
  START,
} from './query-graph.js';
export {
  ALL_EXPANSIONS,
  EXACT,
  type ExpansionSet,
  hasExact,
  idCount,
  maxTypoCount,
  NO_TYPO,
  ONE_TYPO,
  PREFIXES,
  phrasesOf,
  type QueryTerm,
  SET_COUNT,
  SYNONYMS,
  type TermExpansion,
  TWO_TYPOS,
  typoWordsOf,
  wordsOf,
} from './query-term.js';
export { type ParsedQuery, type Phrase, parseQuery } from './query-terms.js';
export {
  CANDIDATES_MIN_MS,
  DEFAULT_SEARCH_CUTOFF_MS,
  FILTER_MIN_MS,
  FORMAT_MIN_MS,
  MAX_PREFIX_WORDS,
} from './search-limits.js';
export { buildSynonyms, type SynonymTable } from './synonyms.js';
export { expandTerms } from './term-expansion.js';
export { LocatedWords } from './typo-words.js';
export { ordinalOf } from './word-ordinals.js';

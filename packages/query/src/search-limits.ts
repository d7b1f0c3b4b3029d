/** Limits of one search. Each is the specification's own; changing one changes answers. */

/** Terms of a query; words past it are ignored. */
export const MAX_QUERY_TERMS = 10;
/** Tokens of a query, separators included. */
export const MAX_QUERY_TOKENS = 1000;
/** Words taken from the dictionary for a prefix without a prefix table. */
export const MAX_PREFIX_WORDS = 1000;
/** A prefix of 1..4 bytes that at least so many dictionary words start with stands for all of them. */
export const PREFIX_TABLE_MIN_WORDS = 100;
export const PREFIX_TABLE_MAX_BYTES = 4;
/** Synonym phrases of one term, and the words they may hold together. */
export const MAX_SYNONYM_PHRASES = 50;
export const MAX_SYNONYM_WORDS = 100;
/** Searches end after this long when the setting searchCutoffMs is null. */
export const DEFAULT_SEARCH_CUTOFF_MS = 1500;
/**
 * What a filter or the counting of facets may take at least, in milliseconds, however short searchCutoffMs is: the cut-off ends the ranking,
 * which then has something to give out, while part of a filter's answer would be wrong. An honest filter takes some
 * milliseconds; on a machine with many times more work than cores it still gets through.
 */
export const FILTER_MIN_MS = 1_500;
/**
 * What it may take at least to find the documents that match, in milliseconds: what is not found by then is missing from the answer, so
 * that a short searchCutoffMs ends the ranking first. Common words of a million documents take some tens.
 */
export const CANDIDATES_MIN_MS = 250;
/** Formatting goes on for at least this long, even where ranking has used up `searchCutoffMs`: a page of ordinary hits takes a few. */
export const FORMAT_MIN_MS = 500;

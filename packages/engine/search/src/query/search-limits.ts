/** Limits of one search. Each is the specification's own; changing one changes answers. */

/** Terms of a query unless the request says otherwise (`maxQueryWords`); words past it are ignored. */
export const MAX_QUERY_TERMS = 10;
/** Tokens of a query, separators included. */
export const MAX_QUERY_TOKENS = 1000;
/** The most words of the dictionary for a prefix without a prefix table. */
export const MAX_PREFIX_WORDS = 1000;
/** Shorter query words, in code points, are not searched for within others: nearly every word contains one of them. */
export const MIN_INFIX_CHARS = 3;
/** A prefix of 1..4 bytes has a table when at least this many dictionary words start with it. */
export const PREFIX_TABLE_MIN_WORDS = 100;
export const PREFIX_TABLE_MAX_BYTES = 4;
/** The most synonym phrases of one term, and the most words of all of them. */
export const MAX_SYNONYM_PHRASES = 50;
export const MAX_SYNONYM_WORDS = 100;
/** The cutoff of searches when the setting of it is null. */
export const DEFAULT_SEARCH_CUTOFF_MS = 1500;
/**
 * The least time in milliseconds for a filter, or for counting facets, however short the cutoff of searches is: the cutoff ends the ranking, whose
 * partial result is usable, while a partial filter result would be wrong. An ordinary filter takes some milliseconds; on a machine with many
 * times more work than cores it still completes.
 */
export const FILTER_MIN_MS = 1_500;
/**
 * The least time in milliseconds for finding the matching documents: those not found by then are missing from the answer, so a short
 * the cutoff should end the ranking first. Common words of a million documents take some tens.
 */
export const CANDIDATES_MIN_MS = 250;
/**
 * Formatting continues for at least this long, even when ranking has used up the cutoff: a page of ordinary hits takes a few.
 */
export const FORMAT_MIN_MS = 500;

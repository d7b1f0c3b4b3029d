/**
 * The index with the counts of searches, which is made once search analytics are switched on. It has the queries of all
 * users: a key reaches it by a pattern only if it may also read statistics.
 */
export const ANALYTICS_INDEX_UID = '_fossick_analytics';

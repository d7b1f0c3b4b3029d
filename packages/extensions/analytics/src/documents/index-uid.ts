import { type GuardedIndex, guardedUid } from '@fossick/instance/access';

const NAME = 'analytics';

/**
 * The index with the counts of searches, which is made once search analytics are switched on. It has the queries of all
 * users: keys need `stats.get`, or to name it.
 */
export const ANALYTICS_INDEX: GuardedIndex = { name: NAME, action: 'stats.get' };
export const ANALYTICS_INDEX_UID = guardedUid(NAME);

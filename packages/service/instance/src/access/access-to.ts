import { apiError } from '@fossick/base';
import { allowsIndex, hiddenIndexes, type IndexScope, scopeFilter, WHOLE_SCOPE } from './index-scope.js';

/**
 * What one authorised request may access. All that answers, tasks and jobs show of indexes is asked here, or of the scope,
 * and nowhere else.
 */
export interface Access {
  /** The indexes it may access, and the filters on them: passed to every read of documents. */
  readonly scope: IndexScope;
  /** The indexes that are hidden from it when all others are open to it; null when only some are. */
  readonly hiddenIndexes: readonly string[] | null;
  readonly allowsIndex: (uid: string) => boolean;
  /** The filter a tenant token adds to searches of the index, or null. */
  readonly tenantFilter: (uid: string) => unknown;
  /** Whether a write may create the index it names. */
  readonly mayCreateIndex: (uid: string) => boolean;
}

export function accessTo(scope: IndexScope, mayCreateIndex: Access['mayCreateIndex']): Access {
  return {
    scope,
    hiddenIndexes: hiddenIndexes(scope),
    allowsIndex: (uid) => allowsIndex(scope, uid),
    tenantFilter: (uid) => scopeFilter(scope, uid),
    mayCreateIndex,
  };
}

/** Unrestricted access: the caller has the master key, or is in the process. */
export const OPEN_ACCESS: Access = accessTo(WHOLE_SCOPE, () => true);

/** Throws when an index named in a body is outside the key's scope. */
export function requireIndex(access: Pick<Access, 'allowsIndex'>, uid: string): void {
  if (!access.allowsIndex(uid)) throw apiError('invalid_api_key', 'outOfReach', uid);
}

/** Whether a text of the server (a label, a step) names an index that is hidden from a key of all others: alone or in quotes. */
export function namesHidden({ hiddenIndexes }: Pick<Access, 'hiddenIndexes'>, text: string): boolean {
  const names = (uid: string): boolean => text === uid || text.includes(`\`${uid}\``) || text.includes(`"${uid}"`);
  return hiddenIndexes?.some(names) === true;
}

import { apiError } from '@fossick/base';
import { allowsIndex, type IndexScope, scopeFilter, WHOLE_SCOPE } from './index-scope.js';

/** What one authorised request may access. */
export interface Access {
  /** The indexes it may access, and the filters on them: passed to every read of documents. */
  readonly scope: IndexScope;
  /** True when every index is open to it. */
  readonly allIndexes: boolean;
  readonly allowsIndex: (uid: string) => boolean;
  /** The filter a tenant token adds to searches of the index, or null. */
  readonly tenantFilter: (uid: string) => unknown;
  /** Whether a write may create the index it names. */
  readonly mayCreateIndex: (uid: string) => boolean;
}

export function accessTo(scope: IndexScope, mayCreateIndex: Access['mayCreateIndex']): Access {
  return {
    scope,
    allIndexes: scope.patterns === null && scope.rules === null,
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

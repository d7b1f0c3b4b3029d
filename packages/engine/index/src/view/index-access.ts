/**
 * What a request may see of other indexes than its own. Tested at every access, so that a foreign key grants nothing that its
 * bearer could not read directly.
 */
export interface IndexAccess {
  /** Whether the request may see any part of the index, existing or not. */
  readonly allowsIndex: (uid: string) => boolean;
  /** The filter that visible documents of the index satisfy, in the form of requests, or null. */
  readonly filterOf: (uid: string) => unknown;
}

/** For programs that own all indexes they read. */
export const WHOLE_ACCESS: IndexAccess = { allowsIndex: () => true, filterOf: () => null };
/** The default: no other index is read. */
export const NO_ACCESS: IndexAccess = { allowsIndex: () => false, filterOf: () => null };

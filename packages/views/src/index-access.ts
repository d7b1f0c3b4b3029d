/**
 * What a request may see of other indexes than the one it names: asked at every look into one, so that a foreign key leads nowhere
 * where its bearer could not go by itself.
 */
export interface IndexAccess {
  /** Whether anything of the index may be seen, whether or not there is such an index. */
  readonly allowsIndex: (uid: string) => boolean;
  /** What every document of the index has to satisfy to be seen: a filter as requests give it, or null. */
  readonly filterOf: (uid: string) => unknown;
}

/** For programs that own all indexes they read. */
export const WHOLE_ACCESS: IndexAccess = { allowsIndex: () => true, filterOf: () => null };
/** What holds when nothing is said: no other index is looked into. */
export const NO_ACCESS: IndexAccess = { allowsIndex: () => false, filterOf: () => null };

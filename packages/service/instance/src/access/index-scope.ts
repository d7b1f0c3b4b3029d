import { bothFilters, coversIndex } from '@fossick/api';
import { type IndexAccess, WHOLE_ACCESS } from '@fossick/index';

/**
 * The indexes that a key or token may access and their filters, as plain data for other threads: the patterns of the
 * key, and the rules of the token with their filters. Null stands for no restriction.
 */
export interface IndexScope {
  readonly patterns: readonly string[] | null;
  readonly rules: ReadonlyMap<string, unknown> | null;
  /** The scope of the original caller, if another instance sent the request: access is restricted to it too. */
  readonly within?: IndexScope;
  /** Guarded indexes that only their exact names open (guarded-index.ts). */
  readonly hides?: readonly string[];
}
export const WHOLE_SCOPE: IndexScope = { patterns: null, rules: null };

/** Whether anything of the index is within the scope. O(patterns + rules) */
export function allowsIndex({ patterns, rules, within, hides }: IndexScope, uid: string): boolean {
  if (hides?.includes(uid) === true && patterns?.includes(uid) !== true) return false;
  if (within !== undefined && !allowsIndex(within, uid)) return false;
  if (patterns !== null && !patterns.some((pattern) => coversIndex(pattern, uid))) return false;
  return rules === null || ruleFor(rules, uid) !== undefined;
}

/** The filter that a token adds to every read of the index, or null. O(rules) */
export function scopeFilter({ rules, within }: IndexScope, uid: string): unknown {
  const own = rules === null ? null : (rules.get(ruleFor(rules, uid) ?? '') ?? null);
  return within === undefined ? own : bothFilters(own, scopeFilter(within, uid));
}

/** The scope in the engine's form. */
export function indexAccess(scope: IndexScope): IndexAccess {
  if (isWhole(scope)) return WHOLE_ACCESS;
  return { allowsIndex: (uid) => allowsIndex(scope, uid), filterOf: (uid) => scopeFilter(scope, uid) };
}

/** Whether it restricts nothing. */
export function isWhole(scope: IndexScope): boolean {
  return hiddenIndexes(scope)?.length === 0;
}

/**
 * The indexes that it hides when it has all others, and with them what belongs to no index, such as copies of the instance; null when it
 * is limited to some indexes.
 */
export function hiddenIndexes({ patterns, rules, within, hides = [] }: IndexScope): readonly string[] | null {
  if (patterns !== null || rules !== null) return null;
  const others = within === undefined ? [] : hiddenIndexes(within);
  return others === null ? null : [...new Set([...hides, ...others])];
}

/** The rule of a token for an index: its exact uid, else the longest prefix pattern, else `*`. */
function ruleFor(rules: ReadonlyMap<string, unknown>, uid: string): string | undefined {
  if (rules.has(uid)) return uid;
  let best: string | undefined;
  for (const pattern of rules.keys()) {
    if (!pattern.endsWith('*') || !coversIndex(pattern, uid)) continue;
    if (best === undefined || pattern.length > best.length) best = pattern;
  }
  return best;
}

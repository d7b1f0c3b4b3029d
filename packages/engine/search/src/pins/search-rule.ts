/** A dynamic search rule as a search needs it: its conditions and its pins. */
export interface SearchRule {
  /** The name of the rule, for `RuleBook.onFired`. */
  readonly uid?: string;
  readonly active: boolean;
  readonly conditions: RuleConditions;
  readonly actions: readonly PinAction[];
}
/** All given conditions must hold. */
export interface RuleConditions {
  /** RFC 3339; an open side is absent. */
  readonly time?: { readonly start?: string | null; readonly end?: string | null } | null;
  readonly query?: { readonly isEmpty?: boolean | null; readonly words?: string | null } | null;
  /** Equalities that the filter of the search must imply. */
  readonly filter?: { readonly values: Readonly<Record<string, unknown>> } | null;
}
export interface PinAction {
  /** Without `indexUid` the document is looked up in the searched index, whichever it is. */
  readonly selector: { readonly indexUid?: string | null; readonly id: string };
  readonly action: { readonly type: 'pin'; readonly position: number };
}

/** Limits of the work that rules may cause in one search; a rule beyond them is skipped. */
export interface RuleLimits {
  /** Words of a query that are compared with rules. */
  readonly queryWords: number;
  readonly firingRules: number;
  readonly pins: number;
  /** Branches of a filter's OR, conditions of one branch, and the nesting depth of both. */
  readonly filterBranches: number;
  readonly branchConditions: number;
  readonly filterDepth: number;
}
export const DEFAULT_RULE_LIMITS: RuleLimits = {
  queryWords: 10,
  firingRules: 1000,
  pins: 100,
  filterBranches: 100,
  branchConditions: 100,
  filterDepth: 25,
};

/** The rules that may apply to a search, in order of evaluation, and the time of the search. */
export interface RuleBook {
  readonly rules: readonly SearchRule[];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly limits: RuleLimits;
  /** Called with the uid of each rule whose conditions hold for a query; more than once when a search ranks twice. */
  readonly onFired?: (uid: string) => void;
}

/** A dynamic search rule as a search needs it: its conditions and its actions. */
export interface SearchRule extends RuleActions {
  /** The name of the rule, for `RuleBook.onFired` and score details. */
  readonly uid?: string;
  readonly active: boolean;
  readonly conditions: RuleConditions;
}
/** All given conditions must hold. */
export interface RuleConditions {
  /** RFC 3339; an open side is absent. */
  readonly time?: { readonly start?: string | null; readonly end?: string | null } | null;
  readonly query?: { readonly isEmpty?: boolean | null; readonly words?: string | null } | null;
  /** Equalities that the filter of the search must imply. */
  readonly filter?: { readonly values: Readonly<Record<string, unknown>> } | null;
}
/** What a rule does with a search whose conditions hold. */
export interface RuleActions {
  readonly pins: readonly PinAction[];
  readonly scales: readonly ScaleAction[];
}
interface IndexAction {
  /** Without it the action applies to the searched index, whichever it is. */
  readonly indexUid?: string | null;
}
/** Puts a document at a fixed position. */
export interface PinAction extends IndexAction {
  readonly id: string;
  /** 0-based. */
  readonly position: number;
}
/** Multiplies the scores of documents: those of `ids`, and those that satisfy `filter`. */
export interface ScaleAction extends IndexAction {
  /** Above 1 the documents rise, below 1 they fall; with 0 they are no hits, unless they are pinned. */
  readonly weight: number;
  readonly ids?: readonly string[] | null;
  readonly filter?: unknown;
}

/** The actions of a rule as clients send them: by kind, or a list of pins, as they were before scales existed. */
export type GivenActions =
  | { readonly pin?: readonly PinAction[] | null; readonly scale?: readonly ScaleAction[] | null }
  | readonly { readonly selector: IndexAction & Pick<PinAction, 'id'>; readonly action: Pick<PinAction, 'position'> }[];

/** Actions in either form. O(actions) */
export function ruleActions(given: GivenActions): RuleActions {
  if (!isList(given)) return { pins: given.pin ?? [], scales: given.scale ?? [] };
  return { pins: given.map(({ selector, action: { position } }) => ({ ...selector, position })), scales: [] };
}
const isList = (given: GivenActions): given is Extract<GivenActions, readonly unknown[]> => Array.isArray(given);

/** Limits of the work that rules may cause in one search; what is beyond them is skipped. */
export interface RuleLimits {
  /** Words of a query that are compared with rules. */
  readonly queryWords: number;
  readonly firingRules: number;
  readonly pins: number;
  /** Scale actions that are applied. */
  readonly scales: number;
  /** Different weights of documents: those of each are ranked by themselves. */
  readonly weights: number;
  /** Branches of a filter's OR, conditions of one branch, and the nesting depth of both. */
  readonly filterBranches: number;
  readonly branchConditions: number;
  readonly filterDepth: number;
}
export const DEFAULT_RULE_LIMITS: RuleLimits = {
  queryWords: 10,
  firingRules: 1000,
  pins: 100,
  scales: 100,
  weights: 16,
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

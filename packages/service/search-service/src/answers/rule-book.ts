import type { InlineRule } from '@fossick/api';
import { type Environment, fromEnvironment } from '@fossick/instance';
import {
  DEFAULT_RULE_LIMITS,
  type GivenActions,
  type RuleBook,
  type RuleLimits,
  ruleActions,
  type SearchRule,
} from '@fossick/search';
import type { SearchContext } from '../jobs/search-context.js';

const VARIABLES: Readonly<Record<keyof RuleLimits, string>> = {
  queryWords: 'MAX_COUNTED_WORDS',
  firingRules: 'MAX_ACTIVE_RULES',
  pins: 'MAX_PIN_ACTIONS',
  scales: 'MAX_SCALE_ACTIONS',
  weights: 'MAX_WEIGHTS',
  filterBranches: 'FILTER_OR_FUEL',
  branchConditions: 'FILTER_AND_FUEL',
  filterDepth: 'FILTER_DEPTH_FUEL',
};

/**
 * Limits of the work of rules, from the environment: `FOSSICK_EXPERIMENTAL_DSR_FUEL_MAX_PIN_ACTIONS=10`, or the same
 * with the prefix `MEILI_`.
 */
export function ruleLimits(env: Environment): RuleLimits {
  const limits = Object.entries(VARIABLES).map(([name, variable]): [string, number] => {
    const given = Number(fromEnvironment(env, `EXPERIMENTAL_DSR_FUEL_${variable}`)?.text ?? Number.NaN);
    return [name, Number.isInteger(given) && given >= 0 ? given : DEFAULT_RULE_LIMITS[name as keyof RuleLimits]];
  });
  return { ...DEFAULT_RULE_LIMITS, ...Object.fromEntries(limits) };
}
const LIMITS = ruleLimits(process.env);

/**
 * The rules that may apply now, in the order in which they are tried; null when there are none. The rule of a search replaces the stored
 * rule of its name, and is tried after others of its precedence.
 */
export function ruleBookOf(context: SearchContext): RuleBook | null;
export function ruleBookOf(context: SearchContext, inline: InlineRule): RuleBook;
export function ruleBookOf(context: SearchContext, inline: InlineRule | null | undefined): RuleBook | null;
export function ruleBookOf({ features, rules }: SearchContext, inline?: InlineRule | null): RuleBook | null {
  if (!features.isOn('dynamicSearchRules')) return null;
  const stored = rules.inPrecedence().filter(({ uid, active }) => active && uid !== inline?.uid);
  // stored rules were checked when they were stored
  const known = stored.map(
    ({ uid, conditions, actions }): SearchRule => ({
      uid,
      active: true,
      conditions: conditions as SearchRule['conditions'],
      ...ruleActions(actions as typeof actions & GivenActions),
    }),
  );
  if (inline !== undefined && inline !== null) {
    const precedence = inline.precedence ?? Number.POSITIVE_INFINITY;
    const after = stored.findIndex((rule) => (rule.precedence ?? Number.POSITIVE_INFINITY) > precedence);
    known.splice(after < 0 ? known.length : after, 0, inlineRuleOf(inline));
  } else if (known.length === 0) return null;
  return { rules: known, nowMs: Date.now(), limits: LIMITS };
}

/** The rule as searches have it; its fields were checked with the request. */
function inlineRuleOf({ uid, active, conditions, actions }: InlineRule): SearchRule {
  const given = (actions ?? []) as GivenActions;
  return { uid: uid!, active: active ?? true, conditions: conditions ?? {}, ...ruleActions(given) };
}

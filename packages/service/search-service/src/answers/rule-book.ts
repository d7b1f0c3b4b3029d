import { type Environment, fromEnvironment } from '@fossick/instance';
import { DEFAULT_RULE_LIMITS, type RuleBook, type RuleLimits, type SearchRule } from '@fossick/search';
import type { SearchContext } from '../jobs/search-context.js';

const VARIABLES: Readonly<Record<keyof RuleLimits, string>> = {
  queryWords: 'MAX_COUNTED_WORDS',
  firingRules: 'MAX_ACTIVE_RULES',
  pins: 'MAX_PIN_ACTIONS',
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

/** The rules that may pin documents now, in the order in which they are tried; null when there are none. */
export function ruleBookOf({ features, rules }: SearchContext): RuleBook | null {
  if (!features.isOn('dynamicSearchRules')) return null;
  const active = rules.inPrecedence().filter((rule) => rule.active);
  // stored rules were checked when they were stored
  const known = active.map(
    ({ uid, conditions, actions }): SearchRule => ({
      uid,
      active: true,
      conditions: conditions as SearchRule['conditions'],
      actions: actions as typeof actions & SearchRule['actions'],
    }),
  );
  return known.length === 0 ? null : { rules: known, nowMs: Date.now(), limits: LIMITS };
}

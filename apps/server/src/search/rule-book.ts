import { DEFAULT_RULE_LIMITS, type RuleBook, type SearchRule } from '@fossick/engine';
import type { ServerContext } from '../context.js';

/** The rules that may pin documents now, in the order in which they are tried; null when none may. */
export function ruleBookOf({ features, rules }: ServerContext): RuleBook | null {
  if (!features.isOn('dynamicSearchRules')) return null;
  const active = rules.inPrecedence().filter((rule) => rule.active);
  // what is stored was checked by the body of the change that stored it
  const known = active.map(
    ({ conditions, actions }) => ({ active: true, conditions, actions }) as unknown as SearchRule,
  );
  return known.length === 0 ? null : { rules: known, nowMs: Date.now(), limits: DEFAULT_RULE_LIMITS };
}

import { type ApiError, apiError } from '@fossick/base';
import type { EffectiveRule, EffectiveRules, RuleKind } from './rule-kinds.js';

/** Compares the rule lists of the queries in turn, each with the longest one before it. */
export class RuleCompatibility {
  private longest: EffectiveRules | null = null;

  /**
   * @throws ApiError invalid_multi_search_query_ranking_rules when both lists have different kinds at the same index
   */
  check(query: EffectiveRules): void {
    const before = this.longest;
    if (before !== null) {
      query.rules.slice(0, before.rules.length).forEach((rule, at) => {
        const other = before.rules[at]!;
        if (rule.kind !== other.kind) throw clash(before, other, query, rule);
      });
    }
    if (before === null || query.rules.length > before.rules.length) this.longest = query;
  }
}

function clash(before: EffectiveRules, earlier: EffectiveRule, query: EffectiveRules, later: EffectiveRule): ApiError {
  const side = (of: EffectiveRules, { path, text }: EffectiveRule): string =>
    `\n- queries[${of.queryPosition}]: \`${path}\`, ${text}`;
  const notes = [...before.notes, ...query.notes].map((note) => `\n- note on ${note}`).join('');
  return apiError(
    'invalid_multi_search_query_ranking_rules',
    before.queryPosition,
    query.queryPosition,
    reasonOf(earlier.kind, later.kind),
    `${side(before, earlier)}${side(query, later)}`,
    notes,
  );
}

function reasonOf(a: RuleKind, b: RuleKind): string {
  const has = (...kinds: RuleKind[]): boolean => kinds.includes(a) || kinds.includes(b);
  const isGeo = has('geoAsc', 'geoDesc');
  if (has('score', 'scoreBucket'))
    return a === 'relevancy' || b === 'relevancy'
      ? 'relevancy stands against a score'
      : has('score') && has('scoreBucket')
        ? 'a score stands against a score in buckets'
        : 'a score stands against a sort';
  if (has('relevancy')) return `relevancy stands against a ${isGeo ? 'geo sort' : 'sort'}`;
  if (!isGeo) return 'two sorts go in opposite directions';
  return has('asc', 'desc') ? 'a sort stands against a geo sort' : 'two geo sorts go in opposite directions';
}

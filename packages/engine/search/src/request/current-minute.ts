/** The time that scores of a search see. */
import { type RankingRuleSetting, readRankingRule } from '@fossick/settings';

/** The last full minute, in seconds since 1970: pages and cached answers of one minute agree. */
export const currentMinute = (): number => Math.floor(Date.now() / 60_000) * 60;

/** The last full minute when the order of hits depends on it, else null. O(rules) */
export function minuteOf(rankingRules: readonly RankingRuleSetting[]): number | null {
  const usesNow = (rule: RankingRuleSetting): boolean => {
    const entry = typeof rule === 'string' ? undefined : readRankingRule(rule);
    return entry?.kind === 'score' && entry.expression.usesNow;
  };
  return rankingRules.some(usesNow) ? currentMinute() : null;
}

/** With the time that scores see, unless it is there or the order does not depend on it. */
export function withMinute<E extends { readonly nowSeconds?: number }>(
  rankingRules: readonly RankingRuleSetting[],
  extras: E,
): E {
  const nowSeconds = extras.nowSeconds ?? minuteOf(rankingRules);
  return nowSeconds === null ? extras : { ...extras, nowSeconds };
}

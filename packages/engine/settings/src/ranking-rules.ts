/** Ranking rules about how well the query's words match. */
export const RELEVANCY_RULES = [
  'words',
  'typo',
  'proximity',
  'attribute',
  'attributeRank',
  'wordPosition',
  'exactness',
] as const;
export type RelevancyRule = (typeof RELEVANCY_RULES)[number];

/** All rules by name. Any other rule is `field:asc` or `field:desc`. */
export const RANKING_RULES = [...RELEVANCY_RULES, 'sort'] as const;
export type RankingRuleName = (typeof RANKING_RULES)[number];

/** The rules of an index that sets none. */
export const DEFAULT_RANKING_RULES: readonly string[] = [
  'words',
  'typo',
  'proximity',
  'attributeRank',
  'sort',
  'wordPosition',
  'exactness',
];

/** What an entry of `rankingRules` means: a rule by its name, or the order of a field's values. */
export type RankingRuleEntry =
  | { readonly kind: 'named'; readonly name: RankingRuleName }
  | { readonly kind: 'field'; readonly field: string; readonly direction: 'asc' | 'desc' };

/** Reads an entry of `rankingRules`; undefined for a text that is no rule. */
export function readRankingRule(text: string): RankingRuleEntry | undefined {
  if ((RANKING_RULES as readonly string[]).includes(text)) return { kind: 'named', name: text as RankingRuleName };
  const colon = text.lastIndexOf(':');
  const direction = text.slice(colon + 1);
  if (colon <= 0 || (direction !== 'asc' && direction !== 'desc')) return undefined;
  return { kind: 'field', field: text.slice(0, colon), direction };
}

export function isRelevancyRule(name: string): name is RelevancyRule {
  return (RELEVANCY_RULES as readonly string[]).includes(name);
}

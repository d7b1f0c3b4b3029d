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

export function isRelevancyRule(name: string): name is RelevancyRule {
  return (RELEVANCY_RULES as readonly string[]).includes(name);
}

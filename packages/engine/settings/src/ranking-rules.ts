import { parseScore, ScoreError, type ScoreExpression } from '@fossick/filter/score';
import type { RankingRuleSetting, ScoreRule } from './setting-types.js';

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

/** What an entry of `rankingRules` means: a rule by its name, the order of a field's values, or a score. */
export type RankingRuleEntry =
  | { readonly kind: 'named'; readonly name: RankingRuleName }
  | { readonly kind: 'field'; readonly field: string; readonly direction: 'asc' | 'desc' }
  | ScoreEntry;
/** The highest score goes first. `buckets`: null for the exact order. */
export interface ScoreEntry {
  readonly kind: 'score';
  readonly expression: ScoreExpression;
  readonly buckets: number | null;
}

/** Reads an entry of `rankingRules`; undefined for one that is no rule. */
export function readRankingRule(rule: RankingRuleSetting): RankingRuleEntry | undefined {
  if (typeof rule !== 'string') return scoreEntryOf(rule);
  if ((RANKING_RULES as readonly string[]).includes(rule)) return { kind: 'named', name: rule as RankingRuleName };
  const colon = rule.lastIndexOf(':');
  const direction = rule.slice(colon + 1);
  if (colon <= 0 || (direction !== 'asc' && direction !== 'desc')) return undefined;
  return { kind: 'field', field: rule.slice(0, colon), direction };
}

/** Rules of settings and of requests never change, so that each is parsed once. */
const scoreEntries = new WeakMap<ScoreRule, ScoreEntry>();

function scoreEntryOf(rule: ScoreRule): ScoreEntry | undefined {
  let entry = scoreEntries.get(rule);
  if (entry !== undefined) return entry;
  try {
    entry = { kind: 'score', expression: parseScore(rule.score), buckets: rule.buckets ?? null };
  } catch (error) {
    if (error instanceof ScoreError) return undefined;
    throw error;
  }
  scoreEntries.set(rule, entry);
  return entry;
}

export function isRelevancyRule(name: string): name is RelevancyRule {
  return (RELEVANCY_RULES as readonly string[]).includes(name);
}

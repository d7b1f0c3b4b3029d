/** Which entry of a long list of attributes or patterns concerns a field: lists are made ready with their first look-up, and kept with the list. */
import { matchesPattern } from '@fossick/filter/pattern';
import { PatternList, type PatternReach, PrefixTable } from '@fossick/filter/pattern-list';
import { type RankingRuleEntry, readRankingRule } from './ranking-rules.js';
import type { RankingRuleSetting } from './setting-types.js';

/** Shorter lists are searched one by one, which is faster than making them ready. */
const FEW = 16;

/** Whether `field` is `attribute` or nested below it. */
export function coversField(attribute: string, field: string): boolean {
  return field === attribute || (field.startsWith(attribute) && field[attribute.length] === '.');
}

/** Fields with a meaning of their own. They and their children are never searched, and no pattern with `*` matches them. */
const RESERVED_FIELDS = ['_vectors', '_geo', '_geojson'];

export function isReservedField(field: string): boolean {
  return field.startsWith('_') && RESERVED_FIELDS.some((reserved) => coversField(reserved, field));
}

/** Whether a pattern matches a field; a reserved field must be named in full. */
export function patternCovers(pattern: string, field: string): boolean {
  return pattern === field || (matchesPattern(pattern, field) && !isReservedField(field));
}

const coveringOf = new WeakMap<readonly string[], PrefixTable>();
const namingOf = new WeakMap<readonly string[], PrefixTable>();

/** The position of the first attribute that is the field or a parent of it; -1 for none. O(log attributes) */
export function firstCovering(attributes: readonly string[], field: string): number {
  if (attributes.length <= FEW) return attributes.findIndex((attribute) => coversField(attribute, field));
  const table = keptWith(coveringOf, attributes, () => new PrefixTable(attributes.map((name, at) => [`${name}.`, at])));
  return asPosition(table.rankOf(`${field}.`));
}

/** Whether a list names the field or a parent of it, or is `*`. */
export function isNamed(attributes: readonly string[], field: string): boolean {
  if (attributes.length <= FEW) return attributes.some((name) => name === '*' || coversField(name, field));
  // every text begins with the empty one
  const ready = (): PrefixTable => new PrefixTable(attributes.map((name) => [name === '*' ? '' : `${name}.`, 0]));
  return keptWith(namingOf, attributes, ready).rankOf(`${field}.`) === 0;
}

/**
 * A rule of patterns, or the name of an attribute, which concerns all that is nested below it, too. A name is no
 * pattern: `*` is the attribute of that name.
 */
type PatternRule = string | { readonly attributePatterns: readonly string[] };
interface ReadyRules {
  readonly names: PrefixTable;
  readonly patterns: PatternList;
}
const rulesOf: Readonly<Record<PatternReach, WeakMap<readonly PatternRule[], ReadyRules>>> = {
  field: new WeakMap(),
  fieldOrParent: new WeakMap(),
};

/**
 * The position of the first rule that concerns the field; -1 for none. O(log patterns), see PatternList; for the few
 * reserved fields O(patterns).
 */
export function firstPattern(rules: readonly PatternRule[], field: string, reach: PatternReach): number {
  if (rules.length === 0) return -1;
  if (isReservedField(field)) return rules.findIndex((rule) => namesReserved(rule, field, reach));
  const isShort = rules.length <= FEW && reach === 'field';
  if (isShort && rules.every((rule) => typeof rule === 'string' || rule.attributePatterns.length <= FEW))
    return rules.findIndex((rule) =>
      typeof rule === 'string'
        ? coversField(rule, field)
        : rule.attributePatterns.some((pattern) => matchesPattern(pattern, field)),
    );
  const { names, patterns } = keptWith(rulesOf[reach], rules, () => readyRules(rules, reach));
  return asPosition(Math.min(names.rankOf(`${field}.`), patterns.rankOf(field)));
}

function namesReserved(rule: PatternRule, field: string, reach: PatternReach): boolean {
  if (typeof rule === 'string') return coversField(rule, field);
  const { attributePatterns } = rule;
  if (reach === 'field') return attributePatterns.includes(field);
  return attributePatterns.some((pattern) => coversField(pattern, field));
}

function readyRules(rules: readonly PatternRule[], reach: PatternReach): ReadyRules {
  const names: [string, number][] = [];
  const patterns: [string, number][] = [];
  for (const [at, rule] of rules.entries())
    if (typeof rule === 'string') names.push([`${rule}.`, at]);
    else for (const pattern of rule.attributePatterns) patterns.push([pattern, at]);
  return { names: new PrefixTable(names), patterns: new PatternList(patterns, reach) };
}

type FieldRule = Extract<RankingRuleEntry, { kind: 'field' }>;
const ordersOf = new WeakMap<readonly RankingRuleSetting[], ReadonlyMap<string, FieldRule['direction']>>();

/** The fields that ranking rules order by, each with the direction of its first rule. */
export function rankedFields(rankingRules: readonly RankingRuleSetting[]): ReadonlyMap<string, FieldRule['direction']> {
  return keptWith(ordersOf, rankingRules, () => {
    const orders = new Map<string, FieldRule['direction']>();
    for (const rule of rankingRules) {
      const entry = readRankingRule(rule);
      if (entry?.kind === 'field' && !orders.has(entry.field)) orders.set(entry.field, entry.direction);
    }
    return orders;
  });
}

const scoredOf = new WeakMap<readonly RankingRuleSetting[], ReadonlySet<string>>();

/** The fields that scores of ranking rules read. */
export function scoredFields(rankingRules: readonly RankingRuleSetting[]): ReadonlySet<string> {
  return keptWith(scoredOf, rankingRules, () => {
    const entries = rankingRules.map(readRankingRule);
    return new Set(entries.flatMap((entry) => (entry?.kind === 'score' ? entry.expression.fields : [])));
  });
}

/** Lists of settings never change. */
function keptWith<K extends object, V>(kept: WeakMap<K, V>, list: K, make: () => V): V {
  let found = kept.get(list);
  if (found === undefined) {
    found = make();
    kept.set(list, found);
  }
  return found;
}

const asPosition = (rank: number): number => (rank === Number.POSITIVE_INFINITY ? -1 : rank);

import { isRelevancyRule } from '@fossick/settings';
import { looseOf, variantOf } from './older-version.js';

/**
 * Settings of an older dump in today's names. Fields of `attributesForFaceting` (V1) could be filtered by and, with a
 * ranking rule, sorted by: they become both; rules were `asc(field)` until V2, and `wordsPosition` (V1) has no
 * successor. Missing settings stay unset.
 */
export function upgradedSettings(received: unknown): Record<string, unknown> {
  const { attributesForFaceting, rankingRules, ...others } = looseOf(received);
  const upgraded: Record<string, unknown> = others;
  if (attributesForFaceting !== undefined) {
    upgraded.filterableAttributes = attributesForFaceting;
    upgraded.sortableAttributes = attributesForFaceting;
  }
  if (Array.isArray(rankingRules)) upgraded.rankingRules = rankingRules.flatMap(upgradedRule);
  else if (rankingRules === null) upgraded.rankingRules = null;
  return upgraded;
}

/** A rule in today's form; none when it has no meaning any more. */
function upgradedRule(rule: unknown): string[] {
  if (typeof rule !== 'string') return [];
  const direction = /^(asc|desc)\((.+)\)$/.exec(rule);
  if (direction !== null) return [`${direction[2]}:${direction[1]}`];
  return rule === 'sort' || isRelevancyRule(rule) || /.:(?:asc|desc)$/.test(rule) ? [rule] : [];
}

/** A change of settings from an update of V1: each member is `"Nothing"`, `"Clear"` or `{"Update": value}`. */
export function settingsOfChange(change: unknown): Record<string, unknown> {
  const received = new Map<string, unknown>();
  for (const [name, member] of Object.entries(looseOf(change))) {
    const [kind, value] = variantOf(member);
    const key = name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
    if (kind === 'Clear') received.set(key, null);
    if (kind === 'Update') received.set(key, key === 'rankingRules' ? rulesOfChange(value) : value);
  }
  // the primary key was a setting then, and is in the index's own line
  received.delete('primaryKey');
  return upgradedSettings(Object.fromEntries(received));
}

/** Rules of V1's updates: `"WordsPosition"`, `{"Asc": "field"}`. */
function rulesOfChange(rules: unknown): string[] {
  if (!Array.isArray(rules)) return [];
  return rules.map((rule) => {
    const [name, field] = variantOf(rule);
    const word = name.charAt(0).toLowerCase() + name.slice(1);
    return typeof field === 'string' ? `${word}(${field})` : word;
  });
}

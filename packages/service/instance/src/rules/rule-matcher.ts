import { isJsonObject, type Received, type RULES_BODY } from '@fossick/api';
import type { SearchRule } from './rule-store.js';

type RuleFilter = NonNullable<Received<typeof RULES_BODY>['filter']>;

/** Which rules a listing with this filter shows: every word is in their description or words, the last one as a prefix. */
export function ruleMatcher({ active, query }: RuleFilter): (rule: SearchRule) => boolean {
  const words = wordsOf(query ?? '');
  const prefix = words.pop();
  return (rule) => {
    if (typeof active === 'boolean' && rule.active !== active) return false;
    if (prefix === undefined) return true;
    const condition = rule.conditions.query;
    const ruleWords = isJsonObject(condition) && typeof condition.words === 'string' ? condition.words : '';
    const known = new Set(wordsOf(`${rule.description ?? ''} ${ruleWords}`));
    return words.every((word) => known.has(word)) && [...known].some((word) => word.startsWith(prefix));
  };
}

/** Words without case and accents, so that a search among rules is as tolerant as one among documents. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

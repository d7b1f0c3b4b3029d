/** Whether the conditions of a search rule hold for a query. */
import type { Filter } from '@fossick/filter';
import { createTokenizer, type Token, type Tokenizer } from '@fossick/tokenizer';
import { isIndexedWord, parseQuery } from '../query/query-terms.js';
import { type Branch, filterBranches, requires } from './filter-branches.js';
import type { RuleBook, RuleConditions } from './search-rule.js';

/** The part of a search that conditions look at. */
export interface RuleQuery {
  readonly q: string | null;
  readonly filter: Filter | null;
}

/** Words of rules and queries are compared without any index's settings. */
let plainTokenizer: Tokenizer | undefined;

/** How the conditions of a rule turned out; a condition that the rule does not have is absent. */
export interface ConditionOutcomes {
  readonly satisfiesTimeCondition?: 'satisfied' | 'tooEarly' | 'tooLate';
  readonly satisfiesQueryEmptyCondition?: 'satisfied' | 'queryNotEmpty' | 'queryEmpty';
  readonly satisfiesQueryWordsCondition?: 'satisfied' | { readonly missingWord: { readonly word: string } };
  readonly satisfiesFilterCondition?: 'satisfied' | 'notSatisfied';
}

/** The outcomes of a rule's conditions for the query; costly values are computed on first use. */
export function conditionOutcomes(
  { nowMs, limits }: Pick<RuleBook, 'nowMs' | 'limits'>,
  { q, filter }: RuleQuery,
): (conditions: RuleConditions) => ConditionOutcomes {
  let words: ReadonlySet<string> | undefined;
  let branches: readonly Branch[] | null | undefined;
  const wordsOfQuery = (): ReadonlySet<string> => {
    words ??= new Set(queryWords(q ?? '').slice(0, limits.queryWords));
    return words;
  };
  const implies = (values: Readonly<Record<string, unknown>>): boolean => {
    if (branches === undefined) branches = filterBranches(filter, limits);
    return branches?.some((branch) => requires(branch, values)) ?? false;
  };
  return ({ time, query, filter: wanted }) => ({
    ...(time?.start == null && time?.end == null ? {} : { satisfiesTimeCondition: timeOutcome(nowMs, time) }),
    ...(query?.isEmpty == null
      ? {}
      : { satisfiesQueryEmptyCondition: emptyOutcome(wordsOfQuery().size === 0, query.isEmpty) }),
    ...(query?.words == null ? {} : { satisfiesQueryWordsCondition: wordsOutcome(wordsOfQuery(), query.words) }),
    ...(wanted == null ? {} : { satisfiesFilterCondition: implies(wanted.values) ? 'satisfied' : 'notSatisfied' }),
  });
}

/** Whether all conditions hold. */
export const areSatisfied = (outcomes: ConditionOutcomes): boolean =>
  Object.values(outcomes).every((outcome) => outcome === 'satisfied');

function timeOutcome(
  nowMs: number,
  { start, end }: NonNullable<RuleConditions['time']>,
): NonNullable<ConditionOutcomes['satisfiesTimeCondition']> {
  if (start != null && nowMs < Date.parse(start)) return 'tooEarly';
  return end != null && nowMs > Date.parse(end) ? 'tooLate' : 'satisfied';
}

function emptyOutcome(
  isEmpty: boolean,
  wanted: boolean,
): NonNullable<ConditionOutcomes['satisfiesQueryEmptyCondition']> {
  if (isEmpty === wanted) return 'satisfied';
  return isEmpty ? 'queryEmpty' : 'queryNotEmpty';
}

function wordsOutcome(
  known: ReadonlySet<string>,
  wanted: string,
): NonNullable<ConditionOutcomes['satisfiesQueryWordsCondition']> {
  const missing = ruleWords(wanted).find((word) => !known.has(word));
  return missing === undefined ? 'satisfied' : { missingWord: { word: missing } };
}

function ruleWords(text: string): string[] {
  return plainTokens(text)
    .filter(({ kind, lemma }) => kind === 'word' && lemma !== '')
    .map(({ lemma }) => lemma);
}

function plainTokens(text: string): Token[] {
  plainTokenizer ??= createTokenizer({});
  return plainTokenizer.tokenize(text);
}

/** Normalised words of a query, without those of phrases of several words and without excluded ones. */
function queryWords(text: string): string[] {
  const { terms } = parseQuery(plainTokens(text), false);
  return terms.flatMap(({ phrase }) => (phrase.length === 1 ? phrase.filter(isIndexedWord) : []));
}

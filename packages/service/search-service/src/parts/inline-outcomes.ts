import { readFilter } from '@fossick/filter';
import { type ConditionOutcomes, conditionOutcomes, type RuleBook } from '@fossick/search';

/** How the conditions of the rule of a search turned out, for its metadata. */
export type InlineOutcomes = ConditionOutcomes & { readonly satisfiesActiveCondition: boolean };

/** The outcomes of the rule `uid` of the book. @throws ApiError invalid_search_filter */
export function inlineOutcomes(
  book: RuleBook,
  uid: string,
  { q, filter }: { readonly q: string | null; readonly filter: unknown },
): InlineOutcomes {
  const { active, conditions } = book.rules.find((rule) => rule.uid === uid)!;
  const outcomes = conditionOutcomes(book, { q, filter: readFilter(filter, 'invalid_search_filter') })(conditions);
  return { satisfiesActiveCondition: active, ...outcomes };
}

import type { IndexView } from '@fossick/index';
import type { SearchRequest } from '@fossick/settings/parameters';
import { isEnoughByWords } from './ranked/rank-hybrid.js';
import { planSearch } from './ranked/search-plan.js';
import { minuteOf } from './request/current-minute.js';
import type { RuleBook } from './search-rules/search-rule.js';

/**
 * Whether the keyword results decide the answer to a hybrid search that has words and no vector yet: then its query need not
 * be embedded. Ranks by words, which the search itself then does not do again, if it runs in this thread on the same view.
 * @throws ApiError for an invalid request
 */
export function wordsSuffice(view: IndexView, request: SearchRequest, ruleBook: RuleBook | null): boolean {
  const mark = view.kernel.memory.mark();
  try {
    const nowSeconds = minuteOf(request.rankingRules ?? view.settings.rankingRules) ?? undefined;
    const { kind, ranking } = planSearch(view, request, ruleBook, nowSeconds);
    return kind.kind === 'hybrid' && isEnoughByWords(view, kind.semanticRatio, ranking);
  } finally {
    view.kernel.memory.release(mark);
  }
}

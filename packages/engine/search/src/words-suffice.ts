import type { IndexView } from '@fossick/index';
import type { SearchRequest } from '@fossick/settings/parameters';
import { rangeOf, rankingRequest } from './ranked/page-range.js';
import { isEnoughByWords } from './ranked/rank-hybrid.js';
import { searchKind } from './ranked/search-kind.js';
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
    const kind = searchKind(view, request);
    if (kind.kind !== 'hybrid') return false;
    const nowSeconds = minuteOf(request.rankingRules ?? view.settings.rankingRules) ?? undefined;
    const ranking = rankingRequest(request, rangeOf(view, request), ruleBook, nowSeconds);
    return isEnoughByWords(view, kind.semanticRatio, ranking);
  } finally {
    view.kernel.memory.release(mark);
  }
}

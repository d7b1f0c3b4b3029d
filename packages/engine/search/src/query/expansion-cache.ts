import type { IndexView } from '@fossick/index';
import type { HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';

import type { TermExpansion } from './query-term.js';

/** Cache of the expansions made in a view; common words occur in one query after another. */
class CachedExpansions implements HeldMemory {
  readonly kind = 'terms';
  readonly byKey = new Map<string, TermExpansion>();
  wordCount = 0;

  get byteCount(): number {
    return this.wordCount * WORD_BYTES;
  }

  free(): void {
    this.byKey.clear();
  }
}

const cacheByView = new WeakMap<IndexView, HeldOnDemand<CachedExpansions>>();
const WORD_BYTES = 100;
/** Words of all cached expansions; the cache is cleared when there are more. */
const CACHED_WORDS_MAX = 50_000;

/** The expansions of a word, from the cache or made now. Cached expansions are the same object each time. */
export function cachedExpansion(view: IndexView, key: string, derive: () => TermExpansion): TermExpansion {
  const known = loadCache(view);
  let found = known.byKey.get(key);
  if (found === undefined) {
    found = derive();
    const before = known.byteCount;
    if (known.wordCount > CACHED_WORDS_MAX) {
      known.byKey.clear();
      known.wordCount = 0;
    }
    known.byKey.set(key, found);
    known.wordCount += found.prefixWords.length + found.oneTypo.length + found.twoTypos.length + 4;
    view.memory.grow('terms', known.byteCount - before);
  }
  return found;
}

function loadCache(view: IndexView): CachedExpansions {
  let cached = cacheByView.get(view);
  if (cached === undefined) {
    cached = view.holdings.onDemand(() => new CachedExpansions());
    cacheByView.set(view, cached);
  }
  return cached.load();
}

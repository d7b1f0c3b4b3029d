import type { IndexView } from '@fossick/index';
import type { HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';

/** Cache of the expansions made in a view; common words occur in one query after another. */
class CachedExpansions implements HeldMemory {
  readonly kind = 'terms';
  readonly byKey = new Map<string, object>();
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

/** Words that an expansion counts as, besides its own. */
const BASE_WORDS = 4;

/**
 * The expansions of a word, from the cache or made now. Cached expansions are the same object each time. `derive` says how many words it finds,
 * also later.
 */
export function cachedExpansion<T extends object>(
  view: IndexView,
  key: string,
  derive: (onWords: (count: number) => void) => T,
): T {
  const known = loadCache(view);
  const found = known.byKey.get(key);
  if (found !== undefined) return found as T;
  const before = known.byteCount;
  if (known.wordCount > CACHED_WORDS_MAX) {
    known.byKey.clear();
    known.wordCount = 0;
  }
  view.memory.grow('terms', known.byteCount - before);
  const count = (words: number): void => {
    // one that was dropped meanwhile is no longer held
    if (known.byKey.get(key) !== made && made !== undefined) return;
    known.wordCount += words;
    view.memory.grow('terms', words * WORD_BYTES);
  };
  let made: T | undefined;
  count(BASE_WORDS);
  made = derive(count);
  known.byKey.set(key, made);
  return made;
}

function loadCache(view: IndexView): CachedExpansions {
  let cached = cacheByView.get(view);
  if (cached === undefined) {
    cached = view.holdings.onDemand(() => new CachedExpansions());
    cacheByView.set(view, cached);
  }
  return cached.load();
}

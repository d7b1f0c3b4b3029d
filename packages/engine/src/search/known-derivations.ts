import type { IndexView } from '../view/index-view.js';
import type { Derivations } from './query-term.js';

/** What was derived in a view, as long as it lasts: common words are in one query after another. */
interface Known {
  readonly byKey: Map<string, Derivations>;
  wordCount: number;
}

const knownByView = new WeakMap<IndexView, Known>();
/** Words of all derivations that are kept; all are forgotten at once when there are more: about 100 bytes each. */
const KEPT_WORDS_MAX = 50_000;

/** The derivations of a word under a typo budget: those found before, or made now. The same object each time as long as they are kept. */
export function knownDerivations(
  view: IndexView,
  word: string,
  isPrefix: boolean,
  typoBudget: number,
  derive: () => Derivations,
): Derivations {
  let known = knownByView.get(view);
  if (known === undefined) {
    known = { byKey: new Map(), wordCount: 0 };
    knownByView.set(view, known);
  }
  const key = `${typoBudget}${isPrefix ? 'p' : 'w'}${word}`;
  let found = known.byKey.get(key);
  if (found === undefined) {
    found = derive();
    if (known.wordCount > KEPT_WORDS_MAX) {
      known.byKey.clear();
      known.wordCount = 0;
    }
    known.byKey.set(key, found);
    known.wordCount += found.prefixWords.length + found.oneTypo.length + found.twoTypos.length + 4;
  }
  return found;
}

/** Which words of a query may have typos: by the settings, and by what a request changes of them. */
import { apiError } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { IndexSettings, TypoOverride } from '@fossick/settings';

export interface TypoRules {
  readonly isEnabled: boolean;
  /** Characters from which on a word may have one typo, and two. */
  readonly oneTypo: number;
  readonly twoTypos: number;
  /** Normalised words that allow no typo. */
  readonly exactWords: ReadonlySet<string>;
  /** Whether numbers of documents that the index keeps with the other words are found as they are only. */
  readonly skipsNumbers: boolean;
}

/**
 * The typo tolerance of one request. O(words of `disableOnWords`)
 * @throws ApiError invalid_search_typo_tolerance when it contradicts the setting
 */
export function typoRules(view: IndexView, override: TypoOverride | null): TypoRules {
  const rules = settingRules(view);
  if (override === null) return rules;
  if (typeof override === 'boolean') return { ...rules, isEnabled: override };
  const { typoTolerance } = view.settings;
  const oneTypo = override.minWordSizeForTypos?.oneTypo ?? rules.oneTypo;
  const twoTypos = override.minWordSizeForTypos?.twoTypos ?? rules.twoTypos;
  if (oneTypo > twoTypos) throw apiError('invalid_search_typo_tolerance', 'wordSizes', view.uid, oneTypo, twoTypos);
  if (override.disableOnNumbers === false && typoTolerance.disableOnNumbers)
    throw apiError('invalid_search_typo_tolerance', 'numbersApart', view.uid);
  return {
    isEnabled: override.enabled ?? rules.isEnabled,
    oneTypo,
    twoTypos,
    exactWords: override.disableOnWords == null ? rules.exactWords : lemmasOf(view, override.disableOnWords),
    // of an index with the setting, numbers are in a table of their own
    skipsNumbers: override.disableOnNumbers === true && !typoTolerance.disableOnNumbers,
  };
}

/** The number of typos that a word may have, 0 to 2. */
export function typoBudget({ isEnabled, exactWords, oneTypo, twoTypos }: TypoRules, word: string): 0 | 1 | 2 {
  if (!isEnabled || exactWords.has(word)) return 0;
  const charCount = [...word].length;
  if (charCount < oneTypo) return 0;
  return charCount < twoTypos ? 1 : 2;
}

const rulesBySettings = new WeakMap<IndexSettings, TypoRules>();

function settingRules(view: IndexView): TypoRules {
  let rules = rulesBySettings.get(view.settings);
  if (rules === undefined) {
    const { enabled, minWordSizeForTypos, disableOnWords } = view.settings.typoTolerance;
    const exactWords = lemmasOf(view, disableOnWords);
    rules = { isEnabled: enabled, ...minWordSizeForTypos, exactWords, skipsNumbers: false };
    rulesBySettings.set(view.settings, rules);
  }
  return rules;
}

function lemmasOf(view: IndexView, words: readonly string[]): ReadonlySet<string> {
  return new Set(
    words.map((word) =>
      view.queryTokenizer
        .tokenize(word)
        .map((token) => token.lemma)
        .join(''),
    ),
  );
}

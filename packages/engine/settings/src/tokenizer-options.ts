import type { IndexSettings } from './settings.js';

/** The settings that make a tokenizer. */
export function tokenizerOptions(settings: IndexSettings): {
  readonly stopWords: readonly string[];
  readonly separatorTokens: readonly string[];
  readonly nonSeparatorTokens: readonly string[];
  readonly dictionary: readonly string[];
} {
  const { stopWords, separatorTokens, nonSeparatorTokens, dictionary } = settings;
  return { stopWords, separatorTokens, nonSeparatorTokens, dictionary };
}

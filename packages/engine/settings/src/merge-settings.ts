import { apiError, own, setOwn } from '@fossick/base';
import { createTokenizer, type Tokenizer } from '@fossick/tokenizer';
import { mergeChat } from './chat-settings.js';
import { mergeEmbedders } from './embedders/merge-embedders.js';
import type { Faceting, IndexSettings, SettingsPatch, TypoTolerance } from './settings.js';
import { DEFAULT_SETTINGS } from './settings-table.js';
import { sortedSet } from './values/attribute-values.js';

type Loose = Record<string, unknown>;

const DEFAULTS: Loose = { ...DEFAULT_SETTINGS };

/** Settings whose lists are sets: stored sorted, without duplicates. */
const SET_KEYS: ReadonlySet<string> = new Set([
  'sortableAttributes',
  'substringAttributes',
  'stopWords',
  'separatorTokens',
  'nonSeparatorTokens',
  'dictionary',
]);
/** Lists where any `*` stands for the default. */
const STAR_KEYS: ReadonlySet<string> = new Set(['displayedAttributes', 'searchableAttributes']);

/**
 * The settings after a patch: absent keys stay, null resets, objects merge member by member. Throws ApiError
 * invalid_settings_typo_tolerance when the merged word sizes contradict each other, invalid_settings_embedders and
 * vector_embedding_error when merged embedders do.
 */
export function mergeSettings(settings: IndexSettings, patch: SettingsPatch): IndexSettings {
  const merged: Loose = { ...settings };
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined || !Object.hasOwn(DEFAULT_SETTINGS, key)) continue;
    const next = value === null ? own(DEFAULTS, key) : mergedValue(settings, key, value);
    setOwn(merged, key, next);
  }
  return merged as Loose & IndexSettings;
}

function mergedValue(settings: IndexSettings, key: string, value: unknown): unknown {
  if (SET_KEYS.has(key)) return sortedSet(value as string[]);
  if (STAR_KEYS.has(key)) return (value as string[]).includes('*') ? ['*'] : [...new Set(value as string[])];
  switch (key) {
    case 'typoTolerance':
      return mergeTypoTolerance(settings.typoTolerance, value as Loose);
    case 'faceting':
      return mergeFaceting(settings.faceting, value as Loose);
    case 'pagination':
      return mergeKeys(settings.pagination, DEFAULT_SETTINGS.pagination, value as Loose);
    case 'embedders':
      return mergeEmbedders(settings.embedders, value as Loose);
    case 'chat':
      return mergeChat(settings.chat, value as Loose);
    default:
      return value;
  }
}

function mergeTypoTolerance(current: TypoTolerance, patch: Loose): TypoTolerance {
  const defaults = DEFAULT_SETTINGS.typoTolerance;
  const sizes = patch['minWordSizeForTypos'];
  const merged = mergeKeys(current, defaults, { ...patch, minWordSizeForTypos: undefined });
  const minWordSizeForTypos =
    sizes === null
      ? defaults.minWordSizeForTypos
      : mergeKeys(current.minWordSizeForTypos, defaults.minWordSizeForTypos, (sizes ?? {}) as Loose);
  const { oneTypo, twoTypos } = minWordSizeForTypos;
  if (oneTypo > twoTypos) {
    throw apiError('invalid_settings_typo_tolerance', 'wordSizes', oneTypo, twoTypos);
  }
  return {
    enabled: merged.enabled,
    minWordSizeForTypos,
    disableOnWords: sortedSet(merged.disableOnWords.map(normalizedWord)),
    disableOnAttributes: sortedSet(merged.disableOnAttributes),
    disableOnNumbers: merged.disableOnNumbers,
  };
}

function mergeFaceting(current: Faceting, patch: Loose): Faceting {
  const merged = mergeKeys(current, DEFAULT_SETTINGS.faceting, patch);
  return { ...merged, sortFacetValuesBy: { '*': 'alpha', ...merged.sortFacetValuesBy } };
}

function mergeKeys<T extends object>(current: T, defaults: T, patch: Loose): T {
  const merged = { ...current } as Loose;
  for (const key of Object.keys(defaults)) {
    const value = own(patch, key);
    if (value !== undefined) setOwn(merged, key, value === null ? own(defaults as Loose, key) : value);
  }
  return merged as T;
}

/** Created with the first word: most programs have none. */
let plainTokenizer: Tokenizer | undefined;

/** disableOnWords are stored as the tokenizer would index them: lower-case, without accents. */
function normalizedWord(word: string): string {
  plainTokenizer ??= createTokenizer({});
  return plainTokenizer
    .tokenize(word)
    .map((token) => token.lemma)
    .join('');
}

import { ApiError, MAX_SETTING_WORDS } from '@fossick/base';
import { expect, test } from 'vitest';
import { SETTINGS_TABLE } from '../settings-table.js';

const words = (count: number): string[] => new Array<string>(count).fill('a');

/** The error that a value of a setting ends with; undefined when it is taken. */
function refusalOf(key: string, value: unknown): ApiError | undefined {
  const { parse, code } = SETTINGS_TABLE.find((setting) => setting.key === key)!;
  try {
    parse(value, { code, path: `.${key}` });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

test.each([
  ['stopWords', 'invalid_settings_stop_words'],
  ['dictionary', 'invalid_settings_dictionary'],
  ['separatorTokens', 'invalid_settings_separator_tokens'],
  ['nonSeparatorTokens', 'invalid_settings_non_separator_tokens'],
])('%s takes as many words as its bound says', (key, code) => {
  expect(refusalOf(key, words(MAX_SETTING_WORDS))).toBeUndefined();
  const refusal = refusalOf(key, words(MAX_SETTING_WORDS + 1));
  expect(refusal?.code).toBe(code);
  expect(refusal?.message).toContain(String(MAX_SETTING_WORDS));
});

test('synonyms count with the words that they are of, in all lists together', () => {
  const half = MAX_SETTING_WORDS / 2;
  expect(refusalOf('synonyms', { x: words(half - 1), y: words(half - 1) })).toBeUndefined();
  const refusal = refusalOf('synonyms', { x: words(half), y: words(half - 1) });
  expect(refusal?.code).toBe('invalid_settings_synonyms');
  expect(refusal?.message).toContain(String(MAX_SETTING_WORDS));
});

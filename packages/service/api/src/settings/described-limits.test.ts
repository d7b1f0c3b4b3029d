import {
  MAX_LOCALE_PATTERNS,
  MAX_NAMES,
  MAX_RANKING_RULES,
  MAX_SETTING_ATTRIBUTES,
  MAX_SETTING_WORDS,
  MAX_TEMPLATE_UNITS,
} from '@fossick/base';
import { SETTING_LIMITS, SETTINGS } from '@fossick/settings';
import { expect, test } from 'vitest';
import { openApiDocument } from '../openapi/document.js';
import { zodOf } from '../openapi/schemas/zod-schema.js';

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `a${at}`);

/** A setting, its limit, and a value of a size. */
const LIMITED: readonly (readonly [
  setting: keyof typeof SETTING_LIMITS,
  max: number,
  of: (size: number) => unknown,
])[] = [
  ['displayedAttributes', MAX_SETTING_ATTRIBUTES, names],
  ['searchableAttributes', MAX_SETTING_ATTRIBUTES, names],
  ['filterableAttributes', MAX_SETTING_ATTRIBUTES, names],
  ['sortableAttributes', MAX_SETTING_ATTRIBUTES, names],
  ['foreignKeys', MAX_NAMES, (size) => names(size).map((fieldName) => ({ foreignIndexUid: 'people', fieldName }))],
  ['hierarchicalFacets', MAX_NAMES, (size) => names(size).map((attribute) => ({ attribute }))],
  ['elementAttributes', MAX_SETTING_ATTRIBUTES, names],
  ['substringAttributes', MAX_SETTING_ATTRIBUTES, names],
  ['rankingRules', MAX_RANKING_RULES, (size) => names(size).map((name) => `${name}:asc`)],
  ['typoTolerance', MAX_SETTING_WORDS, (size) => ({ disableOnWords: names(size) })],
  ['typoTolerance', MAX_SETTING_ATTRIBUTES, (size) => ({ disableOnAttributes: names(size) })],
  [
    'localizedAttributes',
    MAX_LOCALE_PATTERNS,
    (size) => names(size).map((name) => ({ attributePatterns: [name], locales: ['eng'] })),
  ],
  ['chat', MAX_TEMPLATE_UNITS, (size) => ({ documentTemplate: 'x'.repeat(size) })],
  ['embedders', MAX_TEMPLATE_UNITS, (size) => ({ a: { source: 'rest', documentTemplate: 'x'.repeat(size) } })],
  ['chat', MAX_NAMES, (size) => ({ searchParameters: { sort: names(size) } })],
];

test.each(
  LIMITED,
)('the description of the API names the limit of the setting %s, %i, which the check has', (name, max, of) => {
  const where = { code: 'invalid_settings_embedders', path: `.${name}` } as const;
  const schema = zodOf(SETTINGS[name].kind.schema);
  expect(schema.safeParse(of(max)).success).toBe(true);
  expect(schema.safeParse(of(max + 1)).success).toBe(false);
  expect(() => SETTING_LIMITS[name]!(of(max), where)).not.toThrow();
  expect(() => SETTING_LIMITS[name]!(of(max + 1), where)).toThrow(String(max));
});

test('the document has these limits as maxItems, maxLength and maxProperties', () => {
  const text = JSON.stringify(openApiDocument());
  for (const limit of [MAX_SETTING_ATTRIBUTES, MAX_RANKING_RULES, MAX_NAMES, MAX_SETTING_WORDS, MAX_LOCALE_PATTERNS])
    expect(text).toContain(`"maxItems":${limit}`);
  expect(text).toContain(`"maxLength":${MAX_TEMPLATE_UNITS}`);
  expect(text).toContain(`"maxProperties":${MAX_SETTING_ATTRIBUTES}`);
});

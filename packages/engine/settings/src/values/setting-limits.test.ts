import {
  ApiError,
  MAX_LOCALE_PATTERNS,
  MAX_RANKING_RULES,
  MAX_SETTING_ATTRIBUTES,
  MAX_TEMPLATE_COUNT,
  MAX_TEMPLATE_UNITS,
  MAX_TEMPLATES_UNITS,
} from '@fossick/base';
import { describe, expect, it } from 'vitest';
import { SETTINGS_TABLE } from '../settings-table.js';
import { checkSentEmbedders } from './embedder-values.js';

type Parse = 'parse' | 'parseSent';

/** The code and place of the refusal of a value; undefined when it is accepted. */
function refusalOf(key: string, value: unknown, parse: Parse = 'parseSent'): string | undefined {
  const spec = SETTINGS_TABLE.find((setting) => setting.key === key)!;
  try {
    spec[parse](value, { code: spec.code, path: `.${key}` });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${/`(\.[^`]*)`/.exec(error.message)?.[1]}`;
    throw error;
  }
}
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `a${i}`);
const rules = (count: number): string[] => names(count).map((name) => `${name}:asc`);
const rest = (more: object): object => ({
  source: 'rest',
  url: 'http://192.0.2.1/',
  request: '{{text}}',
  response: '{{embedding}}',
  ...more,
});
const text = (units: number): string => 'x'.repeat(units);

describe('lists in settings', () => {
  it.each([
    [
      'displayedAttributes',
      names,
      MAX_SETTING_ATTRIBUTES,
      'invalid_settings_displayed_attributes .displayedAttributes',
    ],
    [
      'searchableAttributes',
      names,
      MAX_SETTING_ATTRIBUTES,
      'invalid_settings_searchable_attributes .searchableAttributes',
    ],
    [
      'filterableAttributes',
      names,
      MAX_SETTING_ATTRIBUTES,
      'invalid_settings_filterable_attributes .filterableAttributes',
    ],
    ['sortableAttributes', names, MAX_SETTING_ATTRIBUTES, 'invalid_settings_sortable_attributes .sortableAttributes'],
    ['rankingRules', rules, MAX_RANKING_RULES, 'invalid_settings_ranking_rules .rankingRules'],
  ])('of %s are taken up to their limit', (key, list, limit, refusal) => {
    expect(refusalOf(key, list(limit))).toBeUndefined();
    expect(refusalOf(key, list(limit + 1))).toBe(refusal);
  });

  it('count patterns of all rules together', () => {
    const filterable = [{ attributePatterns: names(MAX_SETTING_ATTRIBUTES) }, 'one'];
    expect(refusalOf('filterableAttributes', filterable)).toBe(
      'invalid_settings_filterable_attributes .filterableAttributes',
    );
    const localized = (count: number) => [{ attributePatterns: names(count), locales: ['eng'] }];
    expect(refusalOf('localizedAttributes', localized(MAX_LOCALE_PATTERNS))).toBeUndefined();
    expect(refusalOf('localizedAttributes', localized(MAX_LOCALE_PATTERNS + 1))).toBe(
      'invalid_settings_localized_attributes .localizedAttributes',
    );
  });

  it('count inside of objects, too', () => {
    const strict = { disableOnAttributes: names(MAX_SETTING_ATTRIBUTES + 1) };
    expect(refusalOf('typoTolerance', strict)).toBe(
      'invalid_settings_typo_tolerance .typoTolerance.disableOnAttributes',
    );
  });

  it('of dumps are taken whatever their length', () => {
    expect(refusalOf('rankingRules', rules(MAX_RANKING_RULES + 1), 'parse')).toBeUndefined();
  });
});

describe('templates in settings', () => {
  it('are taken up to their limit, each and together', () => {
    const documentTemplate = text(MAX_TEMPLATE_UNITS);
    const each = rest({ documentTemplate });
    const together = MAX_TEMPLATES_UNITS / MAX_TEMPLATE_UNITS;
    const embedders = (count: number) => Object.fromEntries(names(count).map((name) => [name, each]));
    expect(refusalOf('embedders', embedders(together))).toBeUndefined();
    expect(refusalOf('embedders', embedders(together + 1))).toBe(
      `invalid_settings_embedders .embedders.a${together}.documentTemplate`,
    );
    expect(refusalOf('embedders', { e: rest({ documentTemplate: `${documentTemplate}x` }) })).toBe(
      'invalid_settings_embedders .embedders.e.documentTemplate',
    );
    expect(refusalOf('chat', { documentTemplate })).toBeUndefined();
    expect(refusalOf('chat', { documentTemplate: `${documentTemplate}x` })).toBe(
      'invalid_chat_setting_document_template .chat.documentTemplate',
    );
  });

  it('are counted in fragments and in embedders inside of others', () => {
    const fragments = { f: { value: { parts: names(MAX_TEMPLATE_COUNT + 1) } } };
    expect(refusalOf('embedders', { e: rest({ searchFragments: fragments }) })).toBe(
      'invalid_settings_embedders .embedders.e.searchFragments.f',
    );
    const searchEmbedder = rest({ documentTemplate: text(MAX_TEMPLATE_UNITS + 1) });
    expect(refusalOf('embedders', { e: { source: 'composite', searchEmbedder } })).toBe(
      'invalid_settings_embedders .embedders.e.searchEmbedder.documentTemplate',
    );
  });

  it('of dumps and of earlier releases are taken, and may be changed one by one', () => {
    const large = { e: rest({ documentTemplate: text(MAX_TEMPLATE_UNITS + 1) }) };
    expect(refusalOf('embedders', large, 'parse')).toBeUndefined();
    expect(() => checkSentEmbedders({ e: { apiKey: 'k' } }, large)).not.toThrow();
    expect(() => checkSentEmbedders({ f: rest({}) }, large)).not.toThrow();
  });

  it('of several requests are counted together with those that are stored', () => {
    const full = (count: number, first: string) =>
      Object.fromEntries(
        names(count).map((name) => [`${first}${name}`, rest({ documentTemplate: text(MAX_TEMPLATE_UNITS) })]),
      );
    expect(() => checkSentEmbedders(full(4, 'new'), full(4, 'old'))).not.toThrow();
    expect(() => checkSentEmbedders(full(5, 'new'), full(4, 'old'))).toThrow(
      expect.objectContaining({ code: 'invalid_settings_embedders' }),
    );
    expect(() => checkSentEmbedders({ ...full(5, 'new'), olda0: null }, full(4, 'old'))).not.toThrow();
  });

  it('are parsed inside of other embedders when they are sent', () => {
    const searchEmbedder = rest({ documentTemplate: '{{ doc.a' });
    expect(refusalOf('embedders', { e: { source: 'composite', searchEmbedder } })).toContain(
      '.embedders.e.searchEmbedder.documentTemplate',
    );
  });
});

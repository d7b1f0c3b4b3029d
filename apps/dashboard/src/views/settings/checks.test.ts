import { describe, expect, it } from 'vitest';
import { faultOf, faultOfGroup } from './checks.js';
import { changesOf, valueAt, withValue } from './draft.js';
import { SETTING_GROUPS } from './setting-list.js';

const SAVED = {
  rankingRules: ['words', 'typo'],
  typoTolerance: { enabled: true, minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 }, disableOnWords: [] },
  pagination: { maxTotalHits: 1000 },
  searchCutoffMs: null,
  localizedAttributes: null,
  filterableAttributes: ['a'],
  faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' } },
  embedders: { small: { source: 'userProvided', dimensions: 3 }, old: { source: 'ollama', model: 'm' } },
};
const fields = SETTING_GROUPS.flatMap((group) => group.fields);
const fault = (path: string, value: unknown) => {
  const field = fields.find((each) => each.path.join('.') === path)!;
  return faultOf(field, withValue(SAVED, field.path, value));
};

describe('a draft of settings', () => {
  it('is changed in one place', () => {
    const draft = withValue(SAVED, ['typoTolerance', 'minWordSizeForTypos', 'oneTypo'], 4);
    expect(valueAt(draft, ['typoTolerance', 'minWordSizeForTypos'])).toEqual({ oneTypo: 4, twoTypos: 9 });
    expect(valueAt(draft, ['typoTolerance', 'nothing', 'there'])).toBeUndefined();
    expect(changesOf(SAVED, draft)).toEqual({ typoTolerance: draft['typoTolerance'] });
    expect(changesOf(SAVED, withValue(draft, ['typoTolerance', 'minWordSizeForTypos', 'oneTypo'], 5))).toEqual({});
  });

  it('deletes the embedders that it has no more, and sends those alone that changed', () => {
    const draft = {
      ...SAVED,
      embedders: { small: SAVED.embedders.small, big: { source: 'userProvided', dimensions: 9 } },
    };
    expect(changesOf(SAVED, draft)).toEqual({
      embedders: { big: { source: 'userProvided', dimensions: 9 }, old: null },
    });
  });
});

describe('what is wrong with a setting', () => {
  it('is said as the server would', () => {
    for (const [path, value, expected] of [
      ['pagination.maxTotalHits', 0, /below 1/],
      ['pagination.maxTotalHits', 1.5, /whole number/],
      ['pagination.maxTotalHits', null, /needed/],
      ['searchCutoffMs', -1, /below 0/],
      ['typoTolerance.minWordSizeForTypos.twoTypos', 4, /one typo/],
      ['typoTolerance.minWordSizeForTypos.oneTypo', 256, /above 255/],
      ['rankingRules', ['words', 'word'], /“word” is no rule/],
      ['rankingRules', ['_geo:asc'], /no rule/],
      ['rankingRules', ['attribute', 'wordPosition'], /one of them only/],
      ['rankingRules', [{ score: ' ', buckets: null }], /needs an expression/],
      ['rankingRules', ['words', { score: 'year', buckets: 1 }], /2 to 1000 buckets/],
      ['embedders', { a: { source: 'rest', url: 'http://a' } }, /a: rest needs request/],
      ['embedders', { a: { source: 'userProvided' } }, /needs dimensions/],
      ['embedders', { a: { source: 'userProvided', dimensions: 0 } }, /above 0/],
      ['embedders', { a: { source: 'toString' } }, /the source is one of/],
      ['embedders', [], /by name/],
      ['localizedAttributes', [{ locales: [] }], /attributePatterns/],
      ['faceting.sortFacetValuesBy', { '*': 'size' }, /alpha/],
    ] as const)
      expect(fault(path, value), path).toMatch(expected);
  });

  it('is nothing where it is right', () => {
    for (const [path, value] of [
      ['pagination.maxTotalHits', 5],
      ['searchCutoffMs', null],
      ['rankingRules', []],
      ['rankingRules', ['attribute', 'year:desc', 'a b:asc', { score: 'year', buckets: null }]],
      ['embedders', { a: { source: 'userProvided', dimensions: 3 }, b: {}, c: null }],
      ['localizedAttributes', null],
      ['localizedAttributes', [{ attributePatterns: ['*'], locales: ['eng'] }]],
    ] as const)
      expect(fault(path, value), path).toBeNull();
  });
});

describe('a group that is one object', () => {
  const chat = { description: 'Films', documentTemplate: '{{ doc.title }}', documentTemplateMaxBytes: 400 };
  const group = SETTING_GROUPS.find(({ object }) => object === 'chat')!;

  it('is checked as a whole and by its members', () => {
    expect(faultOfGroup(group, { chat })).toBeNull();
    expect(faultOfGroup(group, { chat: [] })).toBe('A JSON object');
    expect(faultOfGroup(group, { chat: { description: 'Films' } })).toBeNull();
    expect(faultOfGroup(group, { chat: { ...chat, documentTemplateMaxBytes: 0 } })).toMatch(
      /^documentTemplateMaxBytes/,
    );
    expect(faultOfGroup(group, {})).toBeNull();
  });

  it('resets members that a text omits, and sends changed ones', () => {
    const draft = { chat: { documentTemplate: '{{ doc.title }}', documentTemplateMaxBytes: 500 } };
    expect(changesOf({ chat }, draft)).toEqual({ chat: { description: null, documentTemplateMaxBytes: 500 } });
  });
});

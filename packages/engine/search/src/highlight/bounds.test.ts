import { createTokenizer } from '@fossick/tokenizer';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { HitParams } from './field-plan.js';
import { createHitFormatter } from './hit-formatter.js';
import { LeafFormats } from './leaf-formatter.js';
import type { TextFormat } from './text-formatter.js';

const tokenizer = createTokenizer({});
const PARAMS: HitParams = {
  attributesToRetrieve: null,
  attributesToHighlight: ['*'],
  attributesToCrop: null,
  cropLength: 10,
  cropMarker: '…',
  highlightPreTag: '<em>',
  highlightPostTag: '</em>',
  showMatchesPosition: true,
  sort: null,
  locales: null,
  retrieveVectors: false,
};
const settings = { displayedAttributes: ['*'], localizedAttributes: null, embedders: {}, substringAttributes: [] };
const fox = { words: ['fox'], phrases: [], firstPosition: 0, lastPosition: 0, isPrefix: false, originalWordChars: 3 };

function formatter(fieldNames: readonly string[], params: Partial<HitParams>, deadlineMs?: number) {
  const late = deadlineMs === undefined ? {} : { deadlineMs };
  return createHitFormatter({
    fieldNames,
    settings,
    tokenizer,
    terms: [fox],
    params: { ...PARAMS, ...params },
    ...late,
  });
}

// quadratic work over as many fields took minutes; the bounds allow for a busy machine
test('a document of 60,000 fields, nested ones, is highlighted field by field', () => {
  const names = Array.from({ length: 30_000 }, (_, at) => `n${at}`);
  const nested = Object.fromEntries(names.map((name) => [name, 'a fox']));
  const all = [...names, 'in', ...names.map((name) => `in.${name}`)];
  const asked = { attributesToRetrieve: all.slice(1), attributesToCrop: names.map((name) => `${name}:${name.length}`) };
  const { formatted } = formatter(all, asked)({ ...nested, in: nested });
  expect((formatted!.in as Record<string, unknown>).n29999).toBe('a <em>fox</em>');
  expect(formatted!.n1).toBe('a <em>fox</em>');
}, 30_000);

test('lists of 100,000 attributes, all of them `*`, count once', () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `n${at}`);
  const stars = Array.from({ length: 100_000 }, () => '*');
  const crops = Array.from({ length: 100_000 }, (_, at) => `*:${at}`);
  const format = formatter(names, { attributesToHighlight: stars, attributesToCrop: crops });
  expect(format({ n7: 'fox' }).formatted).toEqual({ n7: '<em>fox</em>' });
}, 30_000);

test('a text of 200,000 matches is cropped to half of it, or to more than there is', () => {
  const text = 'fox '.repeat(200_000);
  for (const [cropLength, units] of [
    [100_000, 400_000],
    [2 ** 53, 800_000],
  ] as const) {
    const { formatted } = formatter(['t'], { attributesToHighlight: null, attributesToCrop: ['t'], cropLength })({
      t: text,
    });
    expect((formatted!.t as string).replace('…', '').trimEnd().length).toBeGreaterThanOrEqual(units - 1);
  }
}, 30_000);

test('texts not formatted in time, and texts after too many tags, are shown unchanged', () => {
  const late = formatter(['t'], {}, performance.now() - 1)({ t: 'a fox' });
  expect([late.formatted, late.matchesPosition]).toEqual([{ t: 'a fox' }, {}]);
  const long = formatter(['t', 'u'], { highlightPreTag: 'x'.repeat(1000), showMatchesPosition: false });
  const texts = { t: 'fox '.repeat(40_000), u: 'fox' };
  expect(long(texts).formatted!.u).toBe('fox');
});

test('of a text of millions of words the first part is looked at, and the rest is shown as it is', () => {
  const text = `${'fox '.repeat(262_143)}a😀${'fox '.repeat(1_000_000)}`;
  const tokenize = vi.spyOn(tokenizer, 'tokenize');
  const { formatted, matchesPosition } = formatter(['t'], {})({ t: text });
  const lengths = tokenize.mock.calls.map(([looked]) => looked.length);
  tokenize.mockRestore();
  expect(Math.max(...lengths)).toBeLessThanOrEqual(2 ** 20);
  const shown = formatted!.t as string;
  expect(shown.replaceAll('<em>', '').replaceAll('</em>', '')).toBe(text);
  expect(shown.endsWith('😀fox fox fox fox ') || shown.endsWith('fox fox fox ')).toBe(true);
  expect(matchesPosition!.t).toHaveLength(262_143);
  const cropped = formatter(['t'], { attributesToCrop: ['t'], attributesToHighlight: null })({ t: text });
  expect((cropped.formatted!.t as string).length).toBeLessThan(100);
}, 30_000);

// building each of the name's 500,000 prefixes took minutes
test('a name of 500,000 dots costs its length, not its square', () => {
  const name = 'a.'.repeat(500_000);
  const { formatted } = formatter(['b', name], {})({ [`${name}b`]: 'a fox', [name]: 'a fox', b: 'a fox' });
  expect(formatted!.b).toBe('a <em>fox</em>');
  const formats = new Map([
    [name, { isHighlighted: false, cropWords: 3 }],
    ['a', { isHighlighted: true, cropWords: null }],
  ]);
  expect(new LeafFormats(formats).of(`${name}.c`)).toEqual({ isHighlighted: true, cropWords: 3 });
}, 30_000);

test('the format of a leaf is what looking through all fields finds', () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'a!', 'a/', ''), { minLength: 1, maxLength: 4 })
    .map((keys) => keys.join('.'));
  const format = fc.record({ isHighlighted: fc.boolean(), cropWords: fc.constantFrom(null, 0, 3, 5) });
  const slowly = (formats: ReadonlyMap<string, TextFormat>, path: string): TextFormat => {
    const isNear = (other: string) => other === path || other.startsWith(`${path}.`) || path.startsWith(`${other}.`);
    const near = [...formats].filter(([other]) => isNear(other)).map(([, found]) => found);
    const cropped = near.find(({ cropWords }) => cropWords !== null);
    return { isHighlighted: near.some(({ isHighlighted }) => isHighlighted), cropWords: cropped?.cropWords ?? null };
  };
  const property = fc.property(fc.array(fc.tuple(name, format), { maxLength: 8 }), name, (entries, path) => {
    const formats = new Map(entries);
    expect(new LeafFormats(formats).of(path)).toEqual(slowly(formats, path));
  });
  fc.assert(property, { numRuns: 2_000 });
});

import { describe, expect, it } from 'vitest';
import { contextLine, FilterError, firstGatedUse, matchesPattern, parseFilter, parseSort, SortError } from './index.js';

const canonical = (input: unknown): string | null => parseFilter(input)?.text ?? null;

describe('parseFilter', () => {
  it.each([
    ['a=1', '"a" = "1"'],
    ['a = 1 OR b = 2 AND c = 3', '("a" = "1") OR (("b" = "2") AND ("c" = "3"))'],
    ['NOT x > 5 AND y = 1', '(NOT ("x" > "5")) AND ("y" = "1")'],
    ['NOT NOT x = 5', '"x" = "5"'],
    ['a IN [\'x y\', "z",]', '"a" IN ["x y", "z"]'],
    ['a NOT IN []', 'NOT ("a" IN [])'],
    ['a -3 TO 1e5', '"a" "-3" TO "1e5"'],
    ['a IS NOT NULL', 'NOT ("a" IS NULL)'],
    ['a NOT EXISTS', 'NOT ("a" EXISTS)'],
    ['a STARTS WITH "b"', '"a" STARTS WITH "b"'],
    ['a[b = 1 AND NOT c IN [2, 3]] OR d = 4', '("a"[("b" = "1") AND (NOT ("c" IN ["2", "3"]))]) OR ("d" = "4")'],
    ['a UNDER "b > c"', '"a" UNDER "b > c"'],
    ['a NOT UNDER b', 'NOT ("a" UNDER "b")'],
    ['UNDER = UNDER', '"UNDER" = "UNDER"'],
    ['a UNDER TO 5', '"a" "UNDER" TO "5"'],
    ["a = 'it\\'s'", '"a" = "it\'s"'],
    ['_geoRadius(1.5, -2, 3)', '_geoRadius(1.5, -2, 3)'],
    ['_geoBoundingBox([1,2],[3,4])', '_geoBoundingBox([1, 2], [3, 4])'],
    ['_geoPolygon([1,2],[3,4],[5,6],)', '_geoPolygon([1, 2], [3, 4], [5, 6])'],
    ['_vectors.e.userProvided EXISTS', '_vectors."e".userProvided EXISTS'],
    [['a = 1', ['b = 2', 'c = 3'], '', []], '("a" = "1") AND (("b" = "2") OR ("c" = "3"))'],
    ['  ', null],
    [[], null],
    [null, null],
  ])('%j', (input, text) => {
    expect(canonical(input)).toBe(text);
    expect(canonical(text)).toBe(text);
  });

  it.each([
    ['name = foo bar', '12:15 name = foo bar'],
    ['a = ', '5:5 a = '],
    ['a = AND', '5:8 a = AND'],
    ['a = "x', '5:7 a = "x'],
    ['(a = 1', '1:7 (a = 1'],
    ['a IN 3', '6:7 a IN 3'],
    ['a IN [1', '8:8 a IN [1'],
    ['_geoDistance(1,2)', '1:18 _geoDistance(1,2)'],
    ['_geoRadius(1,2)', '1:16 _geoRadius(1,2)'],
    ['_geoPolygon([1,2],[3,4])', '1:25 _geoPolygon([1,2],[3,4])'],
    ['a', '1:2 a'],
    ['é = 1 x', '7:8 é = 1 x'],
    ['n = _geo', '5:9 n = _geo'],
    ['n IN [_geoPoint]', '7:17 n IN [_geoPoint]'],
  ])('refuses %s', (input, context) => {
    expect(() => parseFilter(input)).toThrow(FilterError);
    expect(() => parseFilter(input)).toThrow(context);
  });

  it('limits depth and length', () => {
    const nested = (count: number): string => `${'('.repeat(count)}a = 1${')'.repeat(count)}`;
    expect(canonical(nested(36))).toBe('"a" = "1"');
    expect(() => parseFilter(nested(40))).toThrow('nested too deeply');
    expect(() => parseFilter(Array.from({ length: 2100 }, () => 'a = 1').join(' OR '))).toThrow('2000');
  });

  it('refuses other types and finds gated operators', () => {
    expect(() => parseFilter(3)).toThrow('`3`');
    expect(() => parseFilter([['a = 1', ['b']]])).toThrow('a string belongs');
    const filter = parseFilter('stew CONTAINS leek');
    expect(filter && firstGatedUse(filter, () => false)).toEqual({
      feature: 'containsFilter',
      operator: 'CONTAINS',
      context: '6:14 stew CONTAINS leek',
    });
    expect(contextLine('"stock" = "low"', 1, 6)).toBe('2:7 "stock" = "low"');
  });
});

describe('parseSort', () => {
  it('takes fields and points', () => {
    expect(parseSort(['a:b:asc', '_geoPoint(1.5, -2):desc'])).toEqual([
      { kind: 'field', field: 'a:b', direction: 'asc' },
      { kind: 'geo', lat: 1.5, lng: -2, direction: 'desc' },
    ]);
  });
  it.each([
    'a',
    'a:up',
    '_geoPoint(1):asc',
    '_geo:asc',
    '_geoRadius(1,2):asc',
    '_geoDistance:asc',
    '_geoPoint(91,0):asc',
  ])('refuses %s', (entry) => {
    expect(() => parseSort([entry])).toThrow(SortError);
  });
});

it('matches attribute patterns', () => {
  expect(['a*', '*a', '*a*', '*', 'a', 'b'].map((pattern) => matchesPattern(pattern, 'aba'))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

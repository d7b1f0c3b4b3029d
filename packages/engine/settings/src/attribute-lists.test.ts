import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coversField, firstCovering, firstPattern, isNamed, rankedFields } from './attribute-lists.js';

const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 5 });
/** Short lists are searched otherwise than long ones. */
const nameLists = fc.oneof(fc.array(name, { maxLength: 5 }), fc.array(name, { minLength: 17, maxLength: 40 }));

test('long lists of attributes are searched as short ones are', () => {
  fc.assert(
    fc.property(nameLists, name, fc.boolean(), (names, field, hasStar) => {
      expect(firstCovering(names, field)).toBe(names.findIndex((each) => coversField(each, field)));
      const list = hasStar ? [...names, '*'] : names;
      expect(isNamed(list, field)).toBe(hasStar || names.some((each) => coversField(each, field)));
    }),
    { numRuns: 2_000 },
  );
});

test('the first of many rules decides, be it a name or patterns', () => {
  const others = Array.from({ length: 20 }, (_, i) => `other${i}`);
  const rules = [...others, { attributePatterns: ['x', '*_at'] }, 'a', { attributePatterns: ['a*'] }];
  expect(firstPattern(rules, 'made_at', 'field')).toBe(20);
  expect(firstPattern(rules, 'made_at.day', 'field')).toBe(-1);
  expect(firstPattern(rules, 'made_at.day', 'fieldOrParent')).toBe(20);
  expect(firstPattern(rules, 'a.b', 'field')).toBe(21);
  expect(firstPattern(rules, 'ab', 'field')).toBe(22);
});

test('a field is ranked by its first rule', () => {
  expect([...rankedFields(['words', 'a:desc', 'b:asc', 'a:asc', 'sort'])]).toEqual([
    ['a', 'desc'],
    ['b', 'asc'],
  ]);
});

test.each([0, 20])('a name is no pattern, and patterns leave reserved fields out: with %i rules before', (count) => {
  const before = Array.from({ length: count }, (_, i) => `other${i}`);
  const pattern = [...before, { attributePatterns: ['*', '*eo'] }];
  for (const reach of ['field', 'fieldOrParent'] as const) {
    expect(firstPattern([...before, '*'], 'title', reach)).toBe(-1);
    expect(firstPattern([...before, '*'], '*', reach)).toBe(count);
    expect(firstPattern(pattern, 'title', reach)).toBe(count);
    for (const field of ['_vectors.own', '_vectors', '_geo', '_geo.lat', '_geojson'])
      expect(firstPattern(pattern, field, reach)).toBe(-1);
    expect(firstPattern([...pattern, '_geo'], '_geo.lat', reach)).toBe(count + 1);
    expect(firstPattern([...pattern, { attributePatterns: ['_geo'] }], '_geo', reach)).toBe(count + 1);
  }
});

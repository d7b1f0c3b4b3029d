import { MAX_FILTER_CONDITIONS, MAX_FILTER_VALUES } from '@fossick/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FilterError, firstGatedUse, parseFilter } from './index.js';

/** Seeds of runs that once found something, or that stand for a kind of input; a new run has a seed of its own, which fast-check prints. */
const SAVED_SEEDS = [1, 20_251_122, -1_913_480_127];
const RUNS = 300;

const word = fc.constantFrom(
  'a',
  'é',
  '_geo',
  '_shard',
  'AND',
  'OR',
  'NOT',
  'IN',
  'TO',
  'IS',
  'NULL',
  'EMPTY',
  'EXISTS',
  'CONTAINS',
  'STARTS WITH',
  '_geoRadius(1, 2, 3)',
  '_geoBoundingBox([1, 2], [3, 4])',
  '_geoPolygon([1, 2], [3, 4], [5, 6])',
  '_vectors.e.fragments.f',
  '_foreign(a,',
  '"x y"',
  "'it\\'s'",
  '"\\u{1f600}"',
  '"\\',
  '(',
  ')',
  '[',
  ']',
  ',',
  '=',
  '!=',
  '<=',
  '>',
  '-1.5e3',
  '\0',
  '\ud800',
);
const soup = fc
  .array(fc.oneof({ weight: 5, arbitrary: word }, fc.string({ maxLength: 4, unit: 'binary' })), { maxLength: 25 })
  .map((words) => words.join(' '));
const condition = fc.oneof(
  fc
    .tuple(fc.constantFrom('a', '"b c"', '_shard'), fc.constantFrom('=', '>', 'CONTAINS'), fc.string({ maxLength: 5 }))
    .map(([field, operator, text]) => `${field} ${operator} ${JSON.stringify(text)}`),
  fc.constantFrom(
    'a IN [1, "2",]',
    'a NOT EXISTS',
    '_foreign(a, b IS NULL)',
    '_geoRadius(1, +2, 3e+1)',
    '_vectors EXISTS',
  ),
);
const tree = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    condition,
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((items) => `(${items.join(' OR ')})`),
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((items) => `(${items.join(' AND ')})`),
    tie('node').map((item) => `NOT (${item})`),
  ),
})).node;
const received = fc.oneof(
  soup,
  tree,
  fc.array(fc.oneof(soup, tree, fc.array(tree))),
  fc.json().map((text): unknown => JSON.parse(text)),
);

/** Parses, and tells by null that it is no filter. Anything but a FilterError is a fault. */
function read(input: unknown): ReturnType<typeof parseFilter> {
  try {
    return parseFilter(input);
  } catch (error) {
    expect(error).toBeInstanceOf(FilterError);
    return null;
  }
}

test.each([...SAVED_SEEDS, undefined])('whatever is received, it is a filter or a FilterError (seed %s)', (seed) => {
  fc.assert(
    fc.property(received, (input) => {
      const filter = read(input);
      if (filter === null) return;
      const text = filter.text;
      expect(parseFilter(text)?.text).toBe(text);
      firstGatedUse(filter, () => false);
    }),
    { numRuns: RUNS, ...(seed === undefined ? {} : { seed }) },
  );
});

const nested = (count: number, opening: string, closing: string): string =>
  `${opening.repeat(count)}a = 1${closing.repeat(count)}`;
const row = (count: number, item: string, separator: string): string =>
  Array.from({ length: count }, () => item).join(separator);
/** A value in as many arrays. */
function inArrays(depth: number): unknown {
  let value: unknown = 'a = 1';
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

test.each<[string, () => unknown, string]>([
  ['parentheses', () => nested(1_000_000, '(', ')'), 'nested too deeply'],
  ['NOTs', () => nested(1_000_000, 'NOT ', ''), 'nested too deeply'],
  ['foreign conditions', () => nested(100_000, '_foreign(a, ', ')'), 'nested too deeply'],
  ['arrays', () => inArrays(100_000), 'a string belongs'],
  ['objects', () => Array.from({ length: 1_000_000 }, () => ({})), `${MAX_FILTER_CONDITIONS} conditions`],
  ['a group of objects', () => [Array.from({ length: 1_000_000 }, () => ({}))], `${MAX_FILTER_CONDITIONS} conditions`],
  ['conditions in a row', () => row(19_000, 'a = 1', ' OR '), '2000 conditions'],
  [
    'nested conditions',
    () => row(900, `(${row(1_000, 'a = 1', ' OR ')})`, ' AND '),
    `${MAX_FILTER_CONDITIONS} conditions in all`,
  ],
  ['values', () => `a IN [${row(MAX_FILTER_VALUES + 1, '1', ',')}]`, `${MAX_FILTER_VALUES} values`],
  ['lists of values', () => row(1_500, `a IN [${row(1_000, '1', ',')}]`, ' OR '), `${MAX_FILTER_VALUES} values`],
  ['an open quote', () => `a = "${'x'.repeat(10_000_000)}`, 'not closed'],
  ['leftover text', () => `a = 1 ${'x '.repeat(5_000_000)}`, 'leftover'],
  ['a number that is none', () => `_geoRadius(${'1'.repeat(1_000_000)}x, 1, 1)`, 'malformed'],
])('hostile: %s', (_, make, message) => {
  const input = make();
  expect(() => parseFilter(input)).toThrow(FilterError);
  expect(() => parseFilter(input)).toThrow(message);
  try {
    parseFilter(input);
  } catch (error) {
    expect((error as Error).message.length).toBeLessThan(10_000); // as an answer it is small
  }
});

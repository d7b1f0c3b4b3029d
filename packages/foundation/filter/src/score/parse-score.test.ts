import { MAX_SCORE_DEPTH, MAX_SCORE_FIELDS, MAX_SCORE_LENGTH, MAX_SCORE_NODES } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScoreError } from '../tree.js';
import { parseScore } from './parse-score.js';
import { applied } from './score-functions.js';
import type { ScoreNode } from './score-tree.js';

const seed = TEST_SEED;
const NOW = 1_000_000;

/** The value of an expression for a document, node by node. */
function computed(node: ScoreNode, document: Readonly<Record<string, number>> = {}): number {
  switch (node.kind) {
    case 'number':
      return node.value;
    case 'now':
      return NOW;
    case 'field':
      return document[node.name] ?? Number.NaN;
    case 'geoDistance':
      return Number.NaN;
    case 'call': {
      const [a = Number.NaN, b = Number.NaN, c = Number.NaN] = node.args.map((arg) => computed(arg, document));
      return applied(node.name, a, b, c);
    }
  }
}
const score = (text: string, document: Readonly<Record<string, number>> = {}): number =>
  computed(parseScore(text).node, document);

test.each<[text: string, value: number]>([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 4 - 3', 3],
  ['24 / 4 / 2', 3],
  ['-2 * -3', 6],
  ['- -2', 2],
  ['1.5e2 + .5', 150.5],
  ['1m + 1s', 61],
  ['2h', 7_200],
  ['30d', 2_592_000],
  ['1w', 604_800],
  ['log(exp(2))', 2],
  ['log10(1000)', 3],
  ['sqrt(abs(-16))', 4],
  ['min(3, 1, 2)', 1],
  ['max(3, 1, 2, 9)', 9],
  ['pow(2, 10)', 1_024],
  ['clamp(12, 0, 10) + clamp(-1, 0, 10)', 10],
  ['decay(now - 30d, 30d)', 0.5],
  ['decay(now + 60d, 30d)', 0.25],
  ['decay(40, 10, 100)', 2 ** -6],
  ['gauss(80, 10, 100)', 2 ** -4],
  ['gauss(95, 10, 100)', 2 ** -0.25],
  ['coalesce(price, rank, 3)', 3],
  ['price * 2', 20],
  ['"price in €" + `a.b` + now', NOW + 3],
])('%s', (text, value) => {
  const document: Record<string, number> = text.includes('coalesce') ? {} : { price: 10, 'price in €': 1, 'a.b': 2 };
  expect(score(text, document)).toBeCloseTo(value, 10);
});

test.each([
  'price',
  '1 + price',
  'max(price, 1)',
  'pow(price, 0)',
  '1 / 0',
  'log(0)',
  'log(-1)',
  'sqrt(-1)',
  '0 / 0',
  'exp(1000)',
])('%s is missing where a value is missing or not finite', (text) => expect(score(text)).toBeNaN());
test('a scale that is not above 0 makes a decay missing', () => {
  expect(score('decay(1, size)', { size: 0 })).toBeNaN();
  expect(score('decay(1, size)', { size: -1 })).toBeNaN();
});
test('coalesce catches what is missing inside of it', () => {
  expect(score('coalesce(log(price), 7)', { price: -1 })).toBe(7);
});
test('an expression knows its fields and whether it needs the time', () => {
  expect(parseScore(' decay(author.born, 1w) + rank + rank ')).toMatchObject({
    text: 'decay(author.born, 1w) + rank + rank',
    fields: ['author.born', 'rank'],
    usesNow: true,
  });
  expect(parseScore('decay(rank, 3, 10) - geoDistance(48.8, -2.3)')).toMatchObject({
    fields: ['rank', '_geo'],
    usesNow: false,
  });
});

describe('refuses', () => {
  test.each([
    ['', /ended where/],
    ['1 +', /ended where/],
    ['1 2', /operator may be missing/],
    ['(1', /`\)` is missing/],
    ['log(1', /`\)` is missing after `log\(`/],
    ['price > 3', /operator may be missing/],
    ['3x', /units of time are s, m, h, d, w/],
    ['1e999', /too large/],
    ['sin(1)', /no function `sin`; there are log, log10/],
    ['constructor(1)', /no function/],
    ['negative(1)', /no function/],
    ['log()', /takes 1 arguments, but it has 0/],
    ['pow(1)', /takes 2 arguments, but it has 1/],
    ['pow(1, 2, 3)', /takes 2 arguments, but it has 3/],
    ['decay(1)', /takes 2 or 3/],
    ['decay(price, 0)', /above 0/],
    ['decay(price, -1d)', /above 0/],
    ['geoDistance(91, 0)', /latitude/],
    ['geoDistance(price, 0)', /latitude/],
    ['"price', /missing at the end of a field name/],
    ['""', /empty/],
    ['#', /where a number/],
    ['1 # comment', /operator/],
  ])('%s', (text, message) => {
    expect(() => parseScore(text)).toThrow(ScoreError);
    expect(() => parseScore(text)).toThrow(message);
  });
  test('what is over a limit', () => {
    const sum = (count: number): string => Array.from({ length: count }, () => '1').join('+');
    expect(() => parseScore(sum(MAX_SCORE_NODES / 2))).not.toThrow();
    expect(() => parseScore(sum(MAX_SCORE_NODES))).toThrow(/up to 100/);
    expect(() => parseScore(`${'('.repeat(400)}1${')'.repeat(400)}`)).toThrow(/levels deep/);
    expect(() => parseScore('-'.repeat(MAX_SCORE_DEPTH + 1) + 1)).toThrow(/levels deep/);
    expect(() => parseScore(' '.repeat(MAX_SCORE_LENGTH + 1))).toThrow(/characters/);
    const fields = Array.from({ length: MAX_SCORE_FIELDS + 1 }, (_, i) => `f${i}`).join('+');
    expect(() => parseScore(fields)).toThrow(/reads up to 10 fields/);
  });
});

/** An expression as text and as its value. */
interface Sum {
  readonly text: string;
  readonly value: number;
}
const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
};
const bracketed = fc.letrec<{ sum: Sum }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.nat(9).map((value) => ({ text: `${value}`, value })),
    fc.tuple(tie('sum'), fc.constantFrom(...Object.keys(operators)), tie('sum')).map(([a, operator, b]) => ({
      text: `(${a.text}${operator} ${b.text})`,
      value: operators[operator]!(a.value, b.value),
    })),
  ),
})).sum;

test(`brackets decide over precedence, as in a model (seed ${seed})`, () => {
  fc.assert(
    fc.property(bracketed, ({ text, value }) => {
      expect(score(text)).toBe(value);
    }),
    { seed },
  );
});
test(`without brackets, products come before sums and rows go from the left (seed ${seed})`, () => {
  const row = fc.array(fc.tuple(fc.constantFrom(...Object.keys(operators)), fc.integer({ min: 1, max: 9 })), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(row, (items) => {
      const text = items.reduce((written, [operator, value]) => `${written} ${operator} ${value}`, '2');
      const [first, ...rest] = text.split(/ (?=[+-])/);
      const product = (part: string): number => part.split('*').reduce((value, factor) => value * Number(factor), 1);
      const value = rest.reduce(
        (sum, part) => sum + (part[0] === '-' ? -1 : 1) * product(part.slice(2)),
        product(first!),
      );
      expect(score(text)).toBe(value);
    }),
    { seed },
  );
});
test(`any text either parses or fails with a ScoreError (seed ${seed})`, () => {
  const piece = fc.constantFrom(
    'log(',
    'decay(',
    ')',
    ',',
    '(',
    '+',
    '-',
    '*',
    '/',
    '1',
    '2d',
    'price',
    '"a b"',
    ' ',
    'now',
    '€',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      try {
        parseScore(pieces.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(ScoreError);
      }
    }),
    { seed, numRuns: 500 },
  );
});

import { describe, expect, it } from 'vitest';
import { compareExact, exactIn, exactOf, floatOf, withDigits } from './lossless-number.js';
import { parseWithIntegers } from './parse-document.js';

const EDGE = 2n ** 53n;

describe('an exact number', () => {
  it('is a bigint only where no float has its value', () => {
    const integers = [
      0n,
      -1n,
      EDGE - 1n,
      EDGE,
      EDGE + 1n,
      EDGE + 2n,
      -EDGE - 1n,
      2n ** 63n,
      2n ** 63n - 1n,
      2n ** 64n - 1n,
    ];
    for (const integer of integers) {
      const exact = exactOf(integer);
      expect(typeof exact).toBe(BigInt(Number(integer)) === integer ? 'number' : 'bigint');
      expect(BigInt(exact)).toBe(integer);
      expect(exactIn(integer)).toBe(exact);
    }
    expect([exactIn(floatOf(1e16)), exactIn(7), exactIn('7'), exactIn(null)]).toEqual([1e16, 7, undefined, undefined]);
  });

  it('is ordered by its value, in whatever form', () => {
    const ascending = [
      -(2 ** 63),
      -(EDGE + 1n),
      -(2 ** 53),
      -0.5,
      0,
      1.5,
      2 ** 53,
      EDGE + 1n,
      2 ** 53 + 2,
      EDGE + 3n,
      1e300,
    ];
    for (const [i, left] of ascending.entries())
      for (const [j, right] of ascending.entries()) expect(Math.sign(compareExact(left, right))).toBe(Math.sign(i - j));
  });

  it('has its digits as long as it has 64 bits', () => {
    const shown = [2 ** 53, 2 ** 63, -(2 ** 63), 1e18, EDGE + 1n, 2 ** 53 - 1, 1.5, 2 ** 64, 1e30].map(withDigits);
    expect(shown).toEqual([EDGE, 2n ** 63n, -(2n ** 63n), 10n ** 18n, EDGE + 1n, 2 ** 53 - 1, 1.5, 2 ** 64, 1e30]);
  });
});

describe('JSON with integers', () => {
  it.each([
    [
      '[9007199254740993, -9007199254740993, 18446744073709551615]',
      ['9007199254740993', '-9007199254740993', '18446744073709551615'],
    ],
    [
      '{"ids":[4223372036854775806,7,"4223372036854775806"]}',
      { ids: ['4223372036854775806', 7, '4223372036854775806'] },
    ],
    ['{"a":[[{"b":12345678901234567}]]}', { a: [[{ b: '12345678901234567' }]] }],
    ['[9007199254740991, 1234567890123456]', [9007199254740991, 1234567890123456]],
    ['[1.0, 1e400, 1234567890123456.5, 12345678901234567e3]', [1, Infinity, 1234567890123456.5, 12345678901234567e3]],
    ['[18446744073709551616, -9223372036854775809]', [2 ** 64, -(2 ** 63)]],
    ['{"text":"x: 12345678901234567","n":0}', { text: 'x: 12345678901234567', n: 0 }],
    [
      '{"a\\n\\u0041":" :1234567890123456789 ,","b": 1234567890123456789 }',
      { 'a\nA': ' :1234567890123456789 ,', b: '1234567890123456789' },
    ],
    [`${'['.repeat(300)}[9007199254740993]${']'.repeat(300)}`, expect.anything()],
    ['12345678901234567890', Number('12345678901234567890')],
    ['{"__proto__":[9007199254740993]}', JSON.parse('{"__proto__":["9007199254740993"]}')],
  ])('%s', (text, value) => {
    expect(parseWithIntegers(text, String)).toEqual(value);
  });

  it('refuses what JSON.parse refuses', () => {
    for (const text of ['[9007199254740993', '{"a":09007199254740993}', '[9007199254740993,]', '']) {
      expect(() => parseWithIntegers(text, String)).toThrow(SyntaxError);
    }
  });
});

import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonCheck } from './json-check.js';

const RUNS = 4_000;
const SEED = TEST_SEED;

/** What JSON.parse says; texts whose strings have halves of pairs are wrong as well. */
function isJson(text: string): boolean {
  try {
    const half = /\p{Surrogate}/u;
    let hasHalf = false;
    JSON.parse(text, (name, value: unknown) => {
      hasHalf ||= half.test(name) || (typeof value === 'string' && half.test(value));
      return value;
    });
    return !hasHalf;
  } catch {
    return false;
  }
}

/** What is wrong with the bytes when they come in pieces that end at `cuts`. */
function faultOf(bytes: Uint8Array, cuts: readonly number[] = []): string | undefined {
  const check = new JsonCheck();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    const fault = check.push(bytes.subarray(from, end));
    if (fault !== undefined) return fault;
    from = end;
  }
  return check.end();
}
const isRight = (text: string, cuts?: readonly number[]): boolean => faultOf(Buffer.from(text), cuts) === undefined;

describe('a JSON value that comes in pieces', () => {
  it(`is right where JSON.parse says so, however it is cut, seed ${SEED}`, () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }));
    const text = fc
      .tuple(value, fc.constantFrom(undefined, 1, '\t'))
      .map(([given, space]) => JSON.stringify(given, null, space));
    const cuts = fc.array(fc.nat(500), { maxLength: 8 });
    fc.assert(
      fc.property(text, cuts, (given, at) => {
        expect([given, isRight(given, at)]).toEqual([given, isJson(given)]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it(`is wrong where JSON.parse says so, seed ${SEED}`, () => {
    const piece = fc.constantFrom(
      ...'{}[],:"\\-+.0159eEu \n\t',
      'tru',
      'true',
      'null',
      'false',
      '"a"',
      '\\ud83d',
      '\\ude00',
      '\\u00e9',
      'é',
      '\u0001',
    );
    const pieces = fc.array(piece, { maxLength: 12 }).map((list) => list.join(''));
    const wrapped = fc.oneof(
      pieces,
      pieces.map((inner) => `"${inner}"`),
      pieces.map((inner) => `[${inner}]`),
      pieces.map((inner) => `{"a":${inner}}`),
      fc.tuple(fc.jsonValue(), fc.nat(), piece).map(([given, at, one]) => {
        const text = JSON.stringify(given);
        const place = at % (text.length + 1);
        return `[${text.slice(0, place)}${one}${text.slice(place + (at % 3))}]`;
      }),
    );
    let right = 0;
    fc.assert(
      fc.property(wrapped, fc.array(fc.nat(40), { maxLength: 4 }), (text, at) => {
        fc.pre(text.isWellFormed());
        if (isJson(text)) right += 1;
        expect([text, isRight(text, at)]).toEqual([text, isJson(text)]);
      }),
      { numRuns: RUNS * 4, seed: SEED },
    );
    expect(right).toBeGreaterThan(RUNS / 10);
  });

  it('is wrong beyond the depth that is allowed, in bytes that are no UTF-8, and with half of a pair', () => {
    expect(isRight(`${'['.repeat(127)}${']'.repeat(127)}`)).toBe(true);
    expect(faultOf(Buffer.from(`${'['.repeat(128)}${']'.repeat(128)}`))).toBe('it is nested more than 127 levels deep');
    expect(faultOf(Buffer.from([0x22, 0xc3, 0x22]))).toBe('it is not valid UTF-8');
    expect(faultOf(Buffer.from([0x22, 0xc3, 0xa9, 0x22]), [2])).toBeUndefined();
    for (const half of ['"\\ud83d"', '"\\ud83dx"', '"\\ude00"', '"\\ud83d\\n"', '{"\\ud83d":1}'])
      expect(faultOf(Buffer.from(half)), half).toBe('an escape names half of a surrogate pair');
    expect(isRight('"\\ud83d\\ude00"', [3, 7, 8])).toBe(true);
    expect(faultOf(Buffer.from('{"a":[1,2'))).toBe('it ends in the middle');
    expect(faultOf(Buffer.from('{"a":01}'))).toBe('byte 6 of it starts `1}`');
  });
});

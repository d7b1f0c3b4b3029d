import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonMeter, JsonScanner, type JsonSize } from './json-scanner.js';

/** Calls `take` with pieces of up to `size` bytes. */
function inPieces(text: string, size: number, take: (piece: Uint8Array, before: number) => void): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size), at);
}

/** The bytes that a scan stops at, with their places. */
function stopsOf(text: string, stops: string, size: number): string[] {
  const scanner = new JsonScanner(stops);
  const found: string[] = [];
  inPieces(text, size, (piece, before) => {
    for (let at = scanner.next(piece, 0); at < piece.length; at = scanner.next(piece, at + 1))
      found.push(`${before + at}${String.fromCharCode(piece[at]!)}${scanner.depth}`);
  });
  return found;
}

test('stops at the characters that are asked for, outside of strings', () => {
  expect(stopsOf('{"a:\\"]":[1,"é,"],"":{}}', '[]{}', 100)).toEqual(['0{1', '9[2', '17]1', '22{2', '23}1', '24}0']);
  expect(stopsOf('{"a,":"\\\\","b":1}', ':,"', 100)).toEqual(['4"0', '5:0', '9"0', '10,0', '13"0', '14:0']);
});

test('stops at the same bytes however a text is cut into pieces', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.integer({ min: 1, max: 9 }), (value, size) => {
      const text = JSON.stringify(value);
      expect(stopsOf(text, '[]{},:"', size)).toEqual(stopsOf(text, '[]{},:"', Number.POSITIVE_INFINITY));
    }),
    { seed: TEST_SEED, numRuns: 500 },
  );
});

/** Sizes of a value, found by walking it. */
function sizesOf(value: unknown): Record<JsonSize, number> {
  const sizes = { depth: 0, containers: 0, values: 0, members: 0 };
  const visit = (each: unknown, depth: number): void => {
    if (typeof each !== 'object' || each === null) return;
    const names = Object.keys(each);
    sizes.depth = Math.max(sizes.depth, depth);
    sizes.containers += 1;
    sizes.values += Math.max(1, names.length);
    if (!Array.isArray(each)) sizes.members = Math.max(sizes.members, names.length);
    for (const member of Object.values(each)) visit(member, depth + 1);
  };
  visit(value, 1);
  return sizes;
}

test('measures what a walk of the value counts, however its text is cut into pieces', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 9 }), (value, pieceBytes) => {
      for (const [size, count] of Object.entries(sizesOf(value)) as [JsonSize, number][]) {
        const exceeded = (limit: number): boolean => {
          const meter = new JsonMeter({ [size]: limit });
          let found: JsonSize | undefined;
          inPieces(JSON.stringify(value), pieceBytes, (piece) => {
            found ??= meter.exceeds(piece);
          });
          return found === size;
        };
        expect([size, exceeded(count), count > 0 && exceeded(count - 1)]).toEqual([size, false, count > 0]);
      }
    }),
    { seed: TEST_SEED, numRuns: 500 },
  );
});

import { expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { findLargeSizes } from './sizes.mjs';

const find = (text: string, path = 'a/b.ts'): string[] => findLargeSizes([{ path, text }]);

it('large functions and classes', () => {
  const linesIn = (head: string, line: string, count: number): string =>
    `${head} {\n${`  ${line};\n`.repeat(count)}}\n`;
  expect(find(linesIn('function f()', 'a()', 68))).toEqual([]);
  expect(find(linesIn('function f()', 'a()', 69))).toEqual(['a/b.ts f has 71 lines, more than 70']);
  expect(find(linesIn('const f = () =>', 'a()', 69))).toEqual(['a/b.ts f has 71 lines, more than 70']);
  expect(find(linesIn('class A', 'a = 1', 248))).toEqual([]);
  expect(find(linesIn('class A', 'a = 1', 249))).toEqual(['a/b.ts A has 251 lines, more than 250']);
  expect(find(linesIn('function f()', 'a()', 69), 'a/b.test.ts')).toEqual([]);
});

it('folders of many source files', () => {
  const folder = (count: number, ending: string): string[] =>
    findLargeSizes(
      Array.from({ length: count }, (_, at) => ({ path: `packages/a/assembly/${at}${ending}`, text: '' })),
    );
  expect(folder(15, '.ts')).toEqual([]);
  expect(folder(16, '.ts')).toEqual(['packages/a/assembly has 16 source files, more than 15']);
  expect(folder(16, '.test.ts')).toEqual([]);
});

it('long pages about decisions', () => {
  const page = 'docs/internals/decisions/a.md';
  expect(find('word '.repeat(900), page)).toEqual([]);
  expect(find('word '.repeat(901), page)).toEqual([`${page} has 901 words, more than 900`]);
  expect(find('word '.repeat(901), 'docs/internals/decisions/README.md')).toEqual([]);
  expect(find('word '.repeat(901), 'docs/a.md')).toEqual([]);
});

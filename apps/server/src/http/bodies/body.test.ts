import { parseJson } from '@fossick/api';
import { expect, test } from 'vitest';

const parse = (text: string) => parseJson(Buffer.from(text));

test('an escape of half a surrogate pair is malformed, as a value and as a name', () => {
  for (const text of ['{"uid":"a\\ud800"}', '["\\uDC00\\uD800"]', '{"\\udfff":1}'])
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'malformed_payload' }));
});

test('a whole pair, and a backslash that only looks like the start of an escape, are text', () => {
  expect(parse('["\\ud83d\\ude00"]')).toEqual(['😀']);
  expect(parse('["\\\\ud800"]')).toEqual(['\\ud800']);
});

test('nesting beyond 127 levels is malformed, brackets inside a text are not nesting', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  expect(() => parse(nested(128))).toThrow(expect.objectContaining({ code: 'malformed_payload' }));
  expect(() => parse(`{"filter":${nested(10_000)}}`)).toThrow(expect.objectContaining({ code: 'malformed_payload' }));
  expect(JSON.stringify(parse(nested(127)))).toBe(nested(127));
  expect(parse(`["\\"${'['.repeat(500)}"]`)).toEqual([`"${'['.repeat(500)}`]);
});

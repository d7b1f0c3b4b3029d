import { toJsonText } from '@fossick/documents';
import { afterEach, expect, test, vi } from 'vitest';
import { parseEdition, parseLossless } from './json-bytes.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const edition = (context: string): Buffer => Buffer.from(`{"function":"doc.a = 1","context":${context}}`);

test.each<[string, (bytes: Buffer) => unknown]>([
  ['an edit', parseEdition],
  ['settings', parseLossless],
])('the body of %s is parsed once where nothing is lost', (_, parse) => {
  const parseOnce = vi.spyOn(JSON, 'parse');
  const context = '{"words":["sea","land"],"n":1.5,"deep":{"a":[1,2]}}';
  expect(parse(edition(context))).toEqual({ function: 'doc.a = 1', context: JSON.parse(context) });
  // once more by the expectation
  expect(parseOnce).toHaveBeenCalledTimes(2);
});

test.each([
  '{"n":12345678901234567890}',
  '{"n":1.0}',
  '{"b":1,"1":2,"a":3}',
  '{"n":-0.0}',
])('numbers and the order of members are kept: %s', (context) => {
  expect(toJsonText((parseEdition(edition(context)) as { context: never }).context)).toBe(context);
});

test('a number that is not finite is refused', () => {
  expect(() => parseEdition(edition('{"n":[1e400000000]}'))).toThrow(
    expect.objectContaining({ code: 'malformed_payload' }),
  );
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorTable } from './error-table.js';
import { describeError, errorToJson } from './errors.js';

test('no code is in two groups', () => {
  expect(errorTable.size).toBeGreaterThan(250);
  for (const code of errorTable.keys()) expect(code).toMatch(/^[a-z0-9_]+$/);
});
test('a search for a code finds it in the table', () => {
  const source = readFileSync(new URL('error-table.ts', import.meta.url), 'utf8');
  for (const code of errorTable.keys()) expect(source).toContain(`'${code}'`);
});
test('statuses and types of the spec', () => {
  expect(describeError('index_not_found')).toMatchObject({ type: 'invalid_request', status: 404 });
  expect(describeError('invalid_api_key')).toMatchObject({ type: 'auth', status: 403 });
  expect(describeError('too_many_search_requests')).toMatchObject({ type: 'system', status: 503 });
  expect(describeError('no_such_code')).toMatchObject({ type: 'internal', status: 500 });
});
test('the wire shape keeps the order of its keys', () => {
  expect(JSON.stringify(errorToJson('bad_request', 'no', 'x'))).toBe(
    '{"message":"no","code":"bad_request","type":"invalid_request","link":"x#bad_request"}',
  );
});

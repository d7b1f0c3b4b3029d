import { expect, it } from 'vitest';
import { webhookChanges } from './webhook-changes.js';

it('a change of a webhook sends no masked header back, and takes away those that are gone', () => {
  const before = { url: 'https://a.example/x', headers: { authorization: 'Bearer abcXXX', 'x-a': '1', 'x-b': '2' } };
  const after = { url: 'https://b.example/y', headers: { authorization: 'Bearer abcXXX', 'x-b': '3', 'x-c': '' } };
  expect(webhookChanges(before, after)).toEqual({
    url: 'https://b.example/y',
    headers: { 'x-b': '3', 'x-c': '', 'x-a': null },
  });
  expect(webhookChanges(before, { url: before.url })).toEqual({
    url: before.url,
    headers: { authorization: null, 'x-a': null, 'x-b': null },
  });
  expect(webhookChanges(before, before).headers).toEqual({});
});

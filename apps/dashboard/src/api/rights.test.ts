import { ACTION_NAMES, coversAction as coversOnServer } from '@fossick/api';
import { expect, test } from 'vitest';
import { coversAction } from './rights.js';

test('the page judges the actions of its views as the server does', () => {
  const needed = ACTION_NAMES.filter((name) => name === 'search' || (name.endsWith('.get') && name !== '*.get'));
  expect(needed.length).toBeGreaterThan(8);
  for (const granted of ACTION_NAMES)
    for (const action of needed)
      expect([granted, action, coversAction([granted], action)]).toEqual([
        granted,
        action,
        coversOnServer([granted], action),
      ]);
  expect(coversAction([], 'search')).toBe(false);
  expect(coversAction(['tasks.get', 'documents.*'], 'documents.get')).toBe(true);
});

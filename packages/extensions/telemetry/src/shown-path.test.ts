import { expect, test } from 'vitest';
import { shownPath } from './shown-path.js';

test.each([
  ['/indexes/films/search?q=secret', '/indexes/:indexUid/search', '/indexes/films/search'],
  ['/indexes/films/documents/secret', '/indexes/:indexUid/documents/:documentId', '/indexes/films/documents/REDACTED'],
  ['//indexes//films/', '/indexes/:indexUid', '/indexes/films'],
  ['/keys/secret', '/keys/:uidOrKey', '/keys/REDACTED'],
  ['/assets/a/secret.js', '/assets/*', '/assets/REDACTED'],
  ['/secret', undefined, '/REDACTED'],
  ['/', '/', '/'],
])('%s of the route %s is shown as %s', (url, route, shown) => {
  expect(shownPath(url, route, false)).toBe(shown);
});

test.each([
  ['/indexes/films/documents/17', '/indexes/:indexUid/documents/:documentId', '/indexes/films/documents/17'],
  ['/nowhere?q=a', undefined, '/nowhere'],
  ['/keys/secret', '/keys/:uidOrKey', '/keys/REDACTED'],
  ['//Keys/secret/more', undefined, '/REDACTED'],
])('where texts are wanted, %s of the route %s is shown as %s', (url, route, shown) => {
  expect(shownPath(url, route, true)).toBe(shown);
});

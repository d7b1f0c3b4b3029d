import { expect, test } from 'vitest';
import { repairPath } from './path.js';

test('a path that can be decoded stays as it is, byte by byte', () => {
  for (const path of ['/indexes/x', '/indexes/a%2Fb?q=%zz', '/indexes/%C3%A9/documents/a%20b'])
    expect(repairPath(path)).toBe(path);
});

test('a percent sign that starts no escape stands for itself', () => {
  expect(repairPath('/indexes/%zz')).toBe('/indexes/%25zz');
  expect(repairPath('/indexes/100%')).toBe('/indexes/100%25');
});

test('bytes that are no UTF-8 become the replacement character, the query stays', () => {
  expect(repairPath('/indexes/%ff?limit=%ff')).toBe('/indexes/%EF%BF%BD?limit=%ff');
  expect(decodeURIComponent(repairPath('/indexes/a%C3%A9%ff%2'))).toBe('/indexes/aé\uFFFD%2');
});

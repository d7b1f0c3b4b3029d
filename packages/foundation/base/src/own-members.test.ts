import { expect, it } from 'vitest';
import { own, setOwn } from './own-members.js';

it('sees no inherited member', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) expect(own({}, name)).toBeUndefined();
  expect(own({ constructor: 1 }, 'constructor')).toBe(1);
  expect(own(JSON.parse('{"__proto__":1}') as Record<string, number>, '__proto__')).toBe(1);
});

it('sets members of every name, and nothing else', () => {
  const record: Record<string, unknown> = {};
  for (const name of ['a', '__proto__', 'constructor']) setOwn(record, name, { isBad: true });
  expect(Object.keys(record)).toEqual(['a', '__proto__', 'constructor']);
  expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
  expect(JSON.stringify(record)).toBe('{"a":{"isBad":true},"__proto__":{"isBad":true},"constructor":{"isBad":true}}');
});

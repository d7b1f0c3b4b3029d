import { expect, it } from 'vitest';
import { placePins } from './place-pins.js';

interface Hit {
  readonly name: string;
}
const organic: Hit[] = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
const pin = (name: string, position: number): Hit & { position: number } => ({ name, position });
const namesOf = (hits: readonly Hit[]): string => hits.map(({ name }) => name).join('');

it.each([
  ['at their positions', [pin('X', 3), pin('Y', 0)], 0, 10, 'YabXcd'],
  ['two of one position in the order given', [pin('X', 1), pin('Y', 1)], 0, 10, 'aXYbcd'],
  ['past the end right after the last', [pin('X', 40), pin('Y', 20)], 0, 10, 'abcdYX'],
  ['counted by pages', [pin('X', 0), pin('Y', 3)], 2, 3, 'bYc'],
  ['not beyond the page', [pin('X', 4)], 0, 4, 'abcd'],
])('places pins %s', (_, pins, from, length, expected) => {
  expect(namesOf(placePins<Hit>(organic, pins, from, length))).toBe(expected);
});

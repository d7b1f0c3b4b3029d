import { expect, test } from 'vitest';
import { FacetHints, type FacetValues } from './facet-hints.js';

test('concurrent callers share one look-up, later ones use its result; a failed look-up is not cached', async () => {
  const hints = new FacetHints();
  let lookCount = 0;
  const look = async (): Promise<FacetValues> => {
    lookCount++;
    if (lookCount === 1) throw new Error('busy');
    return new Map([['year', ['1994']]]);
  };
  const first = await Promise.allSettled([hints.of('movies', look), hints.of('movies', look)]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const [second, third] = await Promise.all([hints.of('movies', look), hints.of('movies', look)]);
  expect(await hints.of('movies', look)).toBe(second);
  expect(third).toBe(second);
  expect(lookCount).toBe(2);
});

test('the least recently used entry is dropped', async () => {
  const hints = new FacetHints();
  const looked: string[] = [];
  const ask = (key: string): Promise<FacetValues> =>
    hints.of(key, async () => {
      looked.push(key);
      return new Map();
    });
  for (let at = 0; at < 500; at++) await ask(`i${at}`);
  await ask('i0');
  await ask('one more');
  looked.length = 0;
  await ask('i0');
  await ask('i1');
  expect(looked).toEqual(['i1']);
});

import { expect, it } from 'vitest';
import { type Fetch, fetched } from './fetching.js';

/** As in workerd: it refuses `default`, which is what it does when no mode is named. */
const atTheEdge: Fetch = async (_address, init) => {
  if (init?.cache !== undefined && init.cache !== 'no-cache')
    throw new TypeError(`Unsupported cache mode: ${init.cache}`);
  return new Response(init?.cache ?? 'kept');
};
const textOf = async (cache?: 'no-cache'): Promise<string> =>
  new TextDecoder().decode(await fetched(atTheEdge, 'https://example.com/search/a.directory', 100, cache));

it('names a mode of the cache only where it asks for another than the one of the runtime', async () => {
  expect(await textOf()).toBe('kept');
  expect(await textOf('no-cache')).toBe('no-cache');
});

import { DEFAULT_SETTINGS, type IndexSettings } from '@fossick/settings';
import { expect, test } from 'vitest';
import { SearchQueue } from '../queue/search-queue.js';
import { listFields } from './field-listing.js';

const FIELDS = Array.from({ length: 5_000 }, (_, i) => `f${String(i).padStart(4, '0')}`);

const searches = new SearchQueue({ slotCount: 1, capacity: 10, waitMaxMs: 1_000 });

/** A view of these fields, and how often each setting is looked at. */
function viewWith(given: Partial<IndexSettings>) {
  const looks = new Map<PropertyKey, number>();
  const settings = new Proxy<IndexSettings>(
    { ...DEFAULT_SETTINGS, ...given },
    {
      get(target, name, receiver): unknown {
        looks.set(name, (looks.get(name) ?? 0) + 1);
        return Reflect.get(target, name, receiver);
      },
    },
  );
  return { view: { fieldNames: FIELDS, settings }, looks };
}

test('only fields of the page are described', async () => {
  const { view, looks } = viewWith({});
  const { results, total } = await listFields(view, { patterns: null, switches: {}, offset: 10, limit: 5 }, searches);
  expect([total, results.map(({ name }) => name)]).toEqual([5_000, FIELDS.slice(10, 15)]);
  expect(looks.get('displayedAttributes')).toBe(5);
  expect(looks.get('faceting')).toBe(5);
});

test('of other fields only the switches are looked at that the listing asks for', async () => {
  const { view, looks } = viewWith({ sortableAttributes: FIELDS.filter((_, i) => i % 2 === 0) });
  const listing = { patterns: ['f000*', '*7'], switches: { sortable: true }, offset: 0, limit: 3 };
  const { results, total } = await listFields(view, listing, searches);
  expect([total, results.map(({ name }) => name)]).toEqual([5, ['f0000', 'f0002', 'f0004']]);
  expect(looks.get('displayedAttributes')).toBe(3);
  expect(looks.get('sortableAttributes')).toBeLessThan(600);
});

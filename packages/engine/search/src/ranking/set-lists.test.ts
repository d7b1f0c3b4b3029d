import { expect, it } from 'vitest';
import { openScratchIndex } from '../scratch-index.test-support.js';

it.each([
  '"quiet harbour" boat',
  'a'.repeat(300),
  '"quiet harbour"',
  'boat -"quiet harbour"',
])('uses the lists of the current segments: %s', async (q) => {
  const index = await openScratchIndex([{ id: 0, title: 'a quiet harbour boat' }], { searchableAttributes: ['title'] });
  try {
    const ids = (): readonly unknown[] => index.idsOf({ q });
    const before = ids();
    await index.add([{ id: 1, title: 'another quiet harbour boat' }]);
    expect(ids()).toEqual(before.length === 0 ? [] : [0, 1]);
    await index.add([{ id: 2, title: 'one more quiet harbour boat' }]);
    expect(ids()).toEqual(before.length === 0 ? [] : [0, 1, 2]);
  } finally {
    await index.close();
  }
});

import { expect, test } from 'vitest';
import { openScratchIndex } from '../../scratch-index.test-support.js';

test('fields of one weight lose no document whose typo is where none is allowed', async () => {
  // the first document has the words of the second one's path, but one of them only in its title
  const index = await openScratchIndex(
    [
      { id: 1, title: 'sunflowr', body: 'sunflwr garden gardne' },
      { id: 2, title: 'other', body: 'sunflowr gardne' },
    ],
    { rankingRules: ['words', 'typo', 'attribute', 'exactness'], typoTolerance: { disableOnAttributes: ['title'] } },
  );
  expect(index.idsOf({ q: 'sunflower garden' })).toEqual([1, 2]);
  await index.close();
});

import { expect, test } from 'vitest';
import { openScratchIndex } from '../../scratch-index.test-support.js';

test('a joined word never counts as exact: documents with it and with longer ones are equal', async () => {
  const index = await openScratchIndex([
    { id: 1, t: 'workers' },
    { id: 2, t: 'worker' },
  ]);
  const { hits } = index.search({ q: 'wo rker', showRankingScoreDetails: true });
  expect(hits.map(({ id }) => id)).toEqual([1, 2]);
  for (const { _rankingScoreDetails: details } of hits) {
    expect(details).toMatchObject({ exactness: { matchType: 'noExactMatch', matchingWords: 0, maxMatchingWords: 2 } });
  }
  await index.close();
});

test('a query is exactly a field that has the same hard separators, at position 24 too', async () => {
  const index = await openScratchIndex([{ id: 1, t: 'j. r. r. tolkien' }]);
  const [hit] = index.search({ q: 'j. r. r. tolkien', showRankingScoreDetails: true }).hits;
  expect(hit?._rankingScoreDetails).toMatchObject({ exactness: { matchType: 'exactMatch' } });
  await index.close();
});

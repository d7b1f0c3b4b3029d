import { expect, test } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex } from '../scratch-index.test-support.js';

test.each([
  ['asc', [1, 2, 3, 4, 5]],
  ['desc', [4, 3, 2, 1, 5]],
])('points %s of several queries come in the asked direction', async (direction, expected) => {
  const lngs = [1, 2, 5, 9, null];
  const documents = lngs.map((lng, at) => ({ id: at + 1, half: at % 2, _geo: lng === null ? null : { lat: 0, lng } }));
  const settings = { filterableAttributes: ['half'], sortableAttributes: ['_geo'] };
  const index = await openScratchIndex(documents, settings);
  try {
    const query = { ...DEFAULT_REQUEST, sort: [`_geoPoint(0, 0):${direction}`] };
    const { hits } = index.federated([0, 1].map((half) => ({ ...query, filter: `half = ${half}` })));
    expect(hits.map(({ id }) => id)).toEqual(expected);
  } finally {
    await index.close();
  }
});

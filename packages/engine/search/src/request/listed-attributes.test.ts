import { checkFacets } from '@fossick/columns';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

/** Names that are chosen for the largest messages. */
const NAMES = Array.from({ length: 1_000 }, (_, at) => `${1_000 + at}${'x'.repeat(515)}`);
const EMBEDDERS = NAMES.slice(0, 30);

let index: ScratchIndex;
beforeAll(async () => {
  const _vectors = Object.fromEntries(EMBEDDERS.map((name) => [name, [1, 2]]));
  const fields = Object.fromEntries(NAMES.map((name) => [name, 'a']));
  index = await openScratchIndex([{ id: 1, ...fields, _vectors }], {
    filterableAttributes: NAMES,
    sortableAttributes: NAMES,
    searchableAttributes: NAMES,
    embedders: Object.fromEntries(EMBEDDERS.map((name) => [name, { source: 'userProvided', dimensions: 2 }])),
  } as never);
});
afterAll(() => index.close());

test.each([
  [{ filter: 'c = 1' }, 980],
  [{ filter: '_geoRadius(1, 2, 3)' }, 980],
  [{ sort: ['c:asc'] }, 980],
  [{ group: { by: 'c', limit: 1 } }, 980],
  [{ distinct: 'c' }, 980],
  [{ aggregations: { c: { by: null, stats: ['min'], histogram: null } } }, 980],
  [{ rankingRules: ['c:asc'] }, 980],
  [{ federatedFacets: ['c'] }, 980],
  [{ facetName: 'c' }, 980],
  [{ q: 'a', attributesToSearchOn: ['c'] }, 980],
  [{ q: 'a', attributeWeights: { c: 2 } }, 980],
  [{ vector: [1, 2], hybrid: { embedder: 'c', semanticRatio: 1 } }, 10],
])('the message of %j lists twenty attributes of the index', (request, moreCount) => {
  let message = '';
  try {
    if ('federatedFacets' in request) index.inView((view) => checkFacets(view, request.federatedFacets));
    else if ('facetName' in request) index.facetSearch(request);
    else index.search(request as never);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toContain(`1000${'x'.repeat(196)}…`);
  expect(message).toContain(`, … and ${moreCount} more`);
  expect(message.length).toBeLessThan(5_000);
});

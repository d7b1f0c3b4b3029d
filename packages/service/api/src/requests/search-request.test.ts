import { expect, it } from 'vitest';
import { toFacetSearchRequest, toSearchRequest } from './search-request.js';

const NOTHING_ON = { isOn: () => false };
const ALL_ON = { isOn: () => true };

it.each([
  '_foreign(cook, rank = 1)',
  'name CONTAINS pea',
])('keeps a tenant token from %s while its feature is off', (filter) => {
  const refused = expect.objectContaining({ code: 'feature_not_enabled' });
  expect(() => toSearchRequest({}, filter, NOTHING_ON)).toThrow(refused);
  expect(() => toFacetSearchRequest({ facetName: 'name' }, filter, NOTHING_ON)).toThrow(refused);
  expect(toSearchRequest({ filter: 'id = 1' }, filter, ALL_ON).filter).toEqual([filter, 'id = 1']);
});

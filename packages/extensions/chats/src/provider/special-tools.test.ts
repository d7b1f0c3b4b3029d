import { expect, test } from 'vitest';
import { SpecialTools } from './special-tools.js';

test('documents for the client keep the digits of integers', () => {
  const documents = [{ id: 4223372036854775806n, n: [18446744073709551615n, 7, 1.5] }];
  const shown = '[{"id":4223372036854775806,"n":[18446744073709551615,7,1.5]}]';
  const special = new SpecialTools([{ name: '_serviceSearchSources' }]);
  expect(special.sources('c', documents)!.arguments).toBe(`{"call_id":"c","documents":${shown}}`);
  const older = new SpecialTools([{ name: '_meiliSearchSources' }]);
  expect(older.sources('c', documents)!.arguments).toBe(`{"call_id":"c","sources":${shown}}`);
  const properties = { documents: { type: 'object' } };
  const object = new SpecialTools([{ name: '_serviceSearchSources', parameters: { properties } }]);
  expect(object.sources('c', documents)!.arguments).toBe(`{"call_id":"c","documents":{"0":${shown.slice(1, -1)}}}`);
});

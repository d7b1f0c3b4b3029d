import { expect, test } from 'vitest';
import { sampleSteps } from './banner.js';

test.each([
  [null, 'http://127.0.0.1:7700', "curl 'http://127.0.0.1:7700/indexes/movies/search?q=jurasic+park&limit=3'\n"],
  ['a master key of 16', 'http://127.0.0.1:8000', "limit=3' -H 'Authorization: Bearer YOUR_KEY'\n"],
])('the next steps fit a server with the key %s', (masterKey, url, told) => {
  const steps = sampleSteps({ masterKey }, url);
  expect(steps).toContain(`Fossick answers on ${url}: open it in a browser for the dashboard\n`);
  expect(steps).toContain(told);
  // it is told before the films can be found: pasted at once, the search would find nothing
  expect(steps).toContain('Try in a second or two: curl');
  expect(steps).not.toContain('a master key of 16');
});

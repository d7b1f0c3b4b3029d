import { expect, test } from 'vitest';
import { UsageCounts } from './usage-counts.js';

test('counts requests by route and kind of status, and members by name', () => {
  const counts = new UsageCounts();
  counts.request('POST', '/indexes/:indexUid/search', 200, 3);
  counts.request('POST', '/indexes/:indexUid/search', 202, 5000.5);
  counts.request('POST', '/indexes/:indexUid/search', 404, 0.5);
  counts.members('search', { q: 'secret words', filter: 'name = secret' });
  counts.members('search', { q: null });
  const json = counts.toJson();
  expect(json.routes).toEqual({
    'POST /indexes/:indexUid/search 2xx': { requests: 2, meanMs: 2501.75, upToMs: { 5: 1, more: 1 } },
    'POST /indexes/:indexUid/search 4xx': { requests: 1, meanMs: 0.5, upToMs: { 1: 1 } },
  });
  expect(json.features).toEqual({ 'search.filter': 1, 'search.q': 2 });
  expect(JSON.stringify(json)).not.toContain('secret');
  counts.clear();
  expect(counts.toJson()).toMatchObject({ routes: {}, features: {} });
});

test('a bundle is closed before it grows beyond its size', () => {
  const sizes: number[] = [];
  const bytesMax = 20_000;
  const counts: UsageCounts = new UsageCounts(() => {
    sizes.push(JSON.stringify(counts.toJson()).length);
    counts.clear();
  }, bytesMax);
  for (let i = 0; i < 500; i++) {
    for (let each = 0; each < 40; each++)
      counts.request('GET', `/some/long/pattern/of/a/route/${i}`, 200, each * 3.7e9);
    counts.feature(`feature-${i}`);
  }
  expect(sizes.length).toBeGreaterThan(3);
  for (const size of sizes) expect(size).toBeLessThan(bytesMax);
});

import { expect, it } from 'vitest';
import { RemoteHealth } from './remote-health.js';

const URL = 'http://remote:7700';

it('is unavailable for 30 s after a failure, twice as long after each further one, 5 minutes at most', () => {
  let nowMs = 1_000;
  const health = new RemoteHealth(() => nowMs);
  expect(health.isAvailable(URL)).toBe(true);
  for (const seconds of [30, 60, 120, 240, 300, 300]) {
    health.failed(URL);
    nowMs += seconds * 1_000 - 1;
    expect([seconds, health.isAvailable(URL)]).toEqual([seconds, false]);
    nowMs += 1;
    expect([seconds, health.isAvailable(URL)]).toEqual([seconds, true]);
  }
  health.failed(URL);
  health.succeeded(URL);
  expect(health.isAvailable(URL)).toBe(true);
  health.failed(URL);
  nowMs += 30_000;
  expect(health.isAvailable(URL)).toBe(true);
});

it('counts failures of one outage once, each remote by itself, and forgets remotes that are gone', () => {
  let nowMs = 0;
  const health = new RemoteHealth(() => nowMs);
  for (let i = 0; i < 10; i++) health.failed(URL);
  expect(health.isAvailable('http://other')).toBe(true);
  nowMs = 30_000;
  expect(health.isAvailable(URL)).toBe(true);
  health.failed(URL);
  health.retain(['http://other']);
  expect(health.isAvailable(URL)).toBe(true);
});

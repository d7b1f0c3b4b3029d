import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { RequestCounter } from './instance-metrics.js';

const REQUESTS: readonly (readonly [string, string, number, number])[] = [
  ['POST', '/indexes/:indexUid/search', 200, 0.0021],
  ['POST', '/indexes/:indexUid/search', 200, 0.005],
  ['POST', '/indexes/:indexUid/search', 400, 0.0051],
  ['GET', '/indexes/:indexUid/search', 200, 11],
  ['GET', '/tasks', 200, 0.75],
];

test('it writes what the library of Prometheus writes of the same requests', async () => {
  const registers = [new Registry()];
  const [total, times] = ['http_requests_total', 'http_response_time_seconds'];
  const counter = new Counter({
    name: `a_${total}`,
    help: 'Requests answered',
    labelNames: ['method', 'path', 'status'],
    registers,
  });
  const histogram = new Histogram({
    name: `a_${times}`,
    help: 'Seconds from a request to its answer',
    labelNames: ['method', 'path'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    registers,
  });
  const tally = new RequestCounter();
  for (const [method, path, status, seconds] of REQUESTS) {
    counter.inc({ method, path, status: String(status) });
    histogram.observe({ method, path }, seconds);
    tally.add(method, path, status, seconds);
  }
  expect(`${tally.text('a_')}\n`).toBe(await registers[0]!.metrics());
});

test('nothing answered yet is no series, and no fault', () => {
  expect(new RequestCounter().text('')).not.toContain('{');
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineReader } from '@fossick/index';
import { openEngineReader } from '@fossick/index';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SizeOf } from './kinds/job.js';
import { runHere, weighJob } from './search-jobs.js';

const folder = mkdtempSync(join(tmpdir(), 'fossick-jobs-'));
let engine: EngineReader;
beforeAll(() => {
  engine = openEngineReader({ rootFolder: folder, maxSearchBytes: 1 << 20 });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const noIndex: SizeOf = () => {
  throw new Error('no size is asked for');
};
const sizes: SizeOf = () => ({
  documentCount: 10,
  documentBytes: 1_000,
  settingsBytes: 1_000_000,
  facetValuesMax: 100,
  isLarge: false,
});
const bytes = (text: string): Uint8Array => Buffer.from(text);

it('a job that finds nothing but whether it is valid has no value', () => {
  expect(runHere(engine, { kind: 'syntax', filter: 'year = 1' })).toEqual({
    value: null,
    degraded: 0,
    failedRemotes: [],
  });
  expect(() => runHere(engine, { kind: 'syntax', filter: 'year =' })).toThrow();
});

it('the remotes that failed are added to the answer, which is untouched JSON', () => {
  const found = runHere(engine, {
    kind: 'networkedDocument',
    answers: [
      { name: 'broken', bytes: bytes('{"results":7}') },
      { name: 'right', bytes: bytes('{"results":[{"id":1}],"total":1}') },
    ],
  });
  expect(found.failedRemotes).toEqual(['broken']);
  expect(found.value?.toString()).toBe('{"id":1}');
  const none = runHere(engine, {
    kind: 'networkedDocument',
    answers: [{ name: 'right', bytes: bytes('{"results":[],"total":0}') }],
  });
  expect(none).toEqual({ value: null, degraded: 0, failedRemotes: [] });
});

it('each kind weighs its jobs, and looks at an index only where its size matters', () => {
  const render = { kind: 'render', body: bytes('{}'), features: [], scope: { indexes: ['*'] } } as never;
  expect(weighJob(render, noIndex)).toBe('long');
  expect(weighJob({ kind: 'syntax', filter: 'a = 1' }, noIndex)).toBe('light');
  expect(weighJob({ kind: 'syntax', filter: 'a = 1 OR '.repeat(10_000) }, noIndex)).toBe('heavy');
  const onSettings = { indexUid: 'a', features: [] };
  expect(weighJob({ kind: 'shownSettings', key: null, ...onSettings }, sizes)).toBe('heavy');
  const short = { kind: 'receivedSettings', key: 'synonyms', ...onSettings, body: bytes('{}') } as const;
  expect(weighJob(short, noIndex)).toBe('light');
  expect(weighJob({ ...short, body: new Uint8Array(1 << 20) }, noIndex)).toBe('heavy');
});

it('a long body is checked as its route checks it, and comes back without members that the route ignores', () => {
  const job = (of: 'search' | 'facetSearch', text: string) =>
    ({ kind: 'receivedBody', of, body: bytes(text) }) as const;
  const after = (of: 'search' | 'facetSearch', text: string) =>
    runHere(engine, job(of, text)).value?.toString() ?? null;
  expect(after('search', '{"q":"a","limit":3}')).toBe(null);
  expect(() => after('search', '{"q":"a","limt":3}')).toThrow('limt');
  expect(() => after('search', '{"q":')).toThrow('malformed');
  expect(after('facetSearch', '{"facetName":"a","other":[1,2],"q":"\\u00e9"}')).toBe('{"facetName":"a","q":"é"}');
  expect(weighJob(job('search', '{}'), noIndex)).toBe('light');
  expect(weighJob(job('search', ' '.repeat(300_000)), noIndex)).toBe('heavy');
});

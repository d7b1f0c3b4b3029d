import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { JsonText, toJsonText } from '@fossick/documents';
import type { EngineReader } from '@fossick/index';
import { openEngineReader } from '@fossick/index';
import { completeSearch } from '@fossick/settings/parameters';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseLossless } from './kinds/bodies/tool-body.js';
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
  scoreUnits: 0,
  isLarge: false,
});
const sizesOf =
  (size: Partial<ReturnType<SizeOf>>): SizeOf =>
  (uid) => ({ ...sizes(uid), settingsBytes: 0, ...size });
const seed = TEST_SEED;
const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const isJson = (text: string): boolean => {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
};
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

describe('a search in an index of', () => {
  const scores = many(10, (i) => ({ score: `${'log(a) + '.repeat(19)}${i}` }));
  const search = (request: object) => ({
    kind: 'search' as const,
    indexUid: 'a',
    request: { ...completeSearch({}), filter: null, ...request },
    ...{ extras: {} as never, ruleBook: null, scope: {} as never },
  });
  const federated = (request: object, window: object = {}) => ({
    kind: 'federated' as const,
    request: {
      queries: [{ indexUid: 'a', request: search(request).request }],
      facetsByIndex: new Map(),
      window: { from: 0, length: 20, ...window },
    } as never,
    ...{ scope: {} as never, federation: {} as never, metadata: null },
  });
  const points = (count: number): string[] => many(count, (i) => `_geoPoint(${i % 80},${i % 170}):asc`);
  const vector = { vector: [1, 2], hybrid: { embedder: 'e', semanticRatio: 1 } };
  const by20 = Object.fromEntries(many(20, (i) => [`f${i}`, { stats: null, histogram: null, by: 'b' }]));
  const text = (part: string, units: number): string => many(units / part.length, () => part).join('');

  it.each<[documents: number, what: string, request: object, weight: string]>([
    [1_000, 'ten long scores', { rankingRules: scores }, 'heavy'],
    [100, 'ten long scores', { rankingRules: scores }, 'light'],
    [150_000, 'a short score', { rankingRules: [{ score: 'log(a)' }] }, 'heavy'],
    [20_000, 'a short score', { rankingRules: ['words', { score: 'log(a)' }] }, 'light'],
    [150_000, 'rules by name', { rankingRules: ['words', 'a:asc'] }, 'light'],
    [150_000, 'steps of levels', { facetLevels: { a: { under: null } } }, 'heavy'],
    [5_000, 'steps of levels', { facetLevels: { a: { under: null } } }, 'light'],
    [1_500, '20 groups', { group: { by: 'b', limit: 3 } }, 'light'],
    [1_500, '100 groups', { group: { by: 'b', limit: 3 }, limit: 100 }, 'heavy'],
    [1_500, 'sums by values', { aggregations: { a: by20['f0'] } }, 'light'],
    [1_500, '20 sums by values', { aggregations: by20 }, 'heavy'],
    [150_000, 'a filter of 1,300 characters', { filter: text('n > 1 OR ', 1_400) }, 'heavy'],
    [150_000, 'a filter of 1,000 characters', { filter: text('n > 1 OR ', 1_000) }, 'light'],
    [5_000, 'a filter of 16,000 characters', { filter: text('n > 1 OR ', 16_000) }, 'light'],
    [150_000, 'lists of conditions', { filter: many(400, () => ['n > 1']) }, 'heavy'],
    [150_000, '30 areas', { filter: text('_geoRadius(1,2,3) OR ', 630) }, 'heavy'],
    [150_000, 'an area', { filter: '_geoRadius(1,2,3)' }, 'light'],
    [150_000, 'two areas', { filter: ['_geoRadius(1,2,3)', ['_geoBoundingBox([2,2],[1,1])', 'n = 1']] }, 'heavy'],
    [6_000, '30 areas', { filter: text('_geoRadius(1,2,3) OR ', 630) }, 'light'],
    [100, 'a polygon', { filter: 'n = 1 OR _geoPolygon([0,0],[1,1],[0,1])' }, 'heavy'],
    [150_000, '1,000 points', { sort: points(1_000) }, 'heavy'],
    [5_000, '1,000 points', { sort: points(1_000) }, 'heavy'],
    [100, '1,000 points', { sort: points(1_000) }, 'light'],
    [100_000, 'a point', { sort: ['a:asc', ...points(1)] }, 'light'],
    [150_000, 'names', { sort: many(20, (i) => `a${i}:asc`) }, 'light'],
    [150_000, 'a vector', { ...vector }, 'light'],
    [20_000, 'a vector and a threshold', { ...vector, rankingScoreThreshold: 0.1 }, 'heavy'],
    [20_000, 'a vector and distinct values', { ...vector, distinct: 'a' }, 'heavy'],
    [4_000, 'a vector and a threshold', { ...vector, rankingScoreThreshold: 0.1 }, 'light'],
    [150_000, 'words and a threshold', { q: 'a', rankingScoreThreshold: 0.1 }, 'light'],
    [150_000, 'words alone', { hybrid: { embedder: 'e', semanticRatio: 0 }, rankingScoreThreshold: 0.1 }, 'light'],
  ])('%d documents with %s', (documentCount, _, request, weight) => {
    const of = sizesOf({ documentCount });
    expect(weighJob(search(request), of)).toBe(weight);
    const isFederated = !['group', 'aggregations', 'facetLevels'].some((name) => name in request);
    if (isFederated) expect(weighJob(federated(request), of)).toBe(weight);
  });

  it.each<[request: object, federation: object, weight: string]>([
    [{ offset: 100_000 }, { from: 100_000 }, 'heavy'],
    [{ offset: 3_000, limit: 1_100 }, { from: 3_000, length: 1_100 }, 'heavy'],
    [{ page: 500, hitsPerPage: 20 }, { from: 10_000 }, 'heavy'],
    [{ page: 10 }, { from: 180 }, 'light'],
    [{ offset: 1_000, limit: 1_000 }, { from: 1_000, length: 1_000 }, 'light'],
  ])('many documents by a vector, to rank %j', (request, federation, weight) => {
    const of = sizesOf({ documentCount: 150_000 });
    expect(weighJob(search({ ...vector, ...request }), of)).toBe(weight);
    expect(weighJob(federated(vector, federation), of)).toBe(weight);
    expect(weighJob(search({ ...vector, ...request }), sizesOf({ documentCount: 1_000 }))).toBe('light');
    expect(weighJob(search({ q: 'a', ...request }), of)).toBe('light');
  });

  it.each<[window: object, weight: string]>([
    [{}, 'light'],
    [{ limit: 1_000 }, 'heavy'],
    [{ offset: 1_000 }, 'heavy'],
  ])('many documents by three points, to rank %j', (window, weight) => {
    expect(weighJob(search({ sort: points(3), ...window }), sizesOf({ documentCount: 20_000 }))).toBe(weight);
  });

  it('many documents, whose setting has scores, is long but for searches that have other rules', () => {
    const of = sizesOf({ documentCount: 10_000, scoreUnits: 2_000 });
    expect(weighJob(search({}), of)).toBe('heavy');
    expect(weighJob(search({ rankingRules: ['words'] }), of)).toBe('light');
    expect(weighJob(search({}), sizesOf({ documentCount: 10, scoreUnits: Number.POSITIVE_INFINITY }))).toBe('heavy');
  });
});

it('media of a long body have a limit, over all its searches', () => {
  const check = (of: 'search' | 'multiSearch', value: object): unknown =>
    runHere(engine, { kind: 'receivedBody', of, body: bytes(JSON.stringify(value)) }).value;
  const media = (count: number): object => ({ media: { items: many(count, (i) => ({ [`a${i}`]: 1 })) } });
  expect(check('search', media(24_000))).toBe(null);
  expect(() => check('search', media(26_000))).toThrow('up to 50000 values');
  const queries = many(10, () => ({ indexUid: 'a', ...media(2_600) }));
  expect(check('multiSearch', { queries: queries.slice(1) })).toBe(null);
  expect(() => check('multiSearch', { queries })).toThrow('up to 50000 values');
});

it(`a long message keeps its arguments and their numbers (seed ${seed})`, () => {
  const message = fc.record({
    method: fc.constantFrom('tools/call', 'ping', 7),
    params: fc.oneof(
      fc.constant(null),
      fc.record({
        name: fc.string(),
        arguments: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
      }),
    ),
  });
  const numbers = `[${'1.0,12345678901234567890,'.repeat(1_000)}-0]`;
  const body = fc.oneof(message, fc.array(message, { maxLength: 5 })).map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(body, fc.array(fc.nat(5), { maxLength: 3 }), (text, places) => {
      // some arguments become long, and have numbers that JSON.parse would change
      let at = -1;
      const sent = text.replace(/"arguments":\{/g, (start) => {
        at += 1;
        return places.includes(at) ? `${start}"long":${numbers}${text.includes('"arguments":{}') ? '' : ','}` : start;
      });
      fc.pre(isJson(sent));
      const { text: kept, longArguments } = runHere(engine, { kind: 'toolBody', body: bytes(sent) }).value;
      const value = parseLossless(Buffer.from(kept));
      for (const { position, name, text: argument } of longArguments) {
        const { params } = (Array.isArray(value) ? value[position] : value) as { params: { arguments: object } };
        expect(params.arguments).toMatchObject({ [name]: null });
        Object.defineProperty(params.arguments, name, { value: new JsonText(argument) });
      }
      expect(toJsonText(value)).toBe(toJsonText(parseLossless(Buffer.from(sent))));
      expect(kept).not.toContain('12345678901234567890');
    }),
    { seed, numRuns: 100 },
  );
  const job = (value: unknown) => ({ kind: 'toolBody', body: bytes(JSON.stringify(value)) }) as const;
  expect(() => runHere(engine, job({ other: 'x'.repeat(300_000) }))).toThrow('besides the arguments');
  expect(JSON.parse(runHere(engine, job(many(1_000, () => 1))).value.text)).toHaveLength(21);
  expect(() => runHere(engine, { kind: 'toolBody', body: bytes('{') })).toThrow('malformed');
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

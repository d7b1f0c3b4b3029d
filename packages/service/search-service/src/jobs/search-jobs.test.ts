import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
const seed = Number(process.env['FOSSICK_TEST_SEED'] ?? Date.now() % 1_000_000);
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
  const federated = (request: object) => ({
    kind: 'federated' as const,
    request: {
      queries: [{ indexUid: 'a', request: search(request).request }],
      facetsByIndex: new Map(),
      window: { length: 20 },
    } as never,
    ...{ scope: {} as never, federation: {} as never, metadata: null },
  });
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
  ])('%d documents with %s', (documentCount, _, request, weight) => {
    const of = sizesOf({ documentCount });
    expect(weighJob(search(request), of)).toBe(weight);
    const isFederated = !['group', 'aggregations', 'facetLevels'].some((name) => name in request);
    if (isFederated) expect(weighJob(federated(request), of)).toBe(weight);
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

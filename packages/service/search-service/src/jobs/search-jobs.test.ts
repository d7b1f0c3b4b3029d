import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseLossless } from '@fossick/api';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { JsonText, toJsonText } from '@fossick/documents';
import { type EngineReader, openEngineReader } from '@fossick/index';
import { completeSearch } from '@fossick/settings/parameters';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SizeOf } from './kinds/job.js';
import { placeOf, runHere, type SearchJob } from './search-jobs.js';

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

const scope = { patterns: null, rules: null } as never;
const search = { indexUid: 'films', request: completeSearch({}), ruleBook: null, scope } as const;
const listing = { indexUid: 'films', query: {} as never, shown: {} as never, scope } as const;
const queries = (count: number): SearchJob => ({
  kind: 'federated',
  request: { queries: many(count, () => ({ indexUid: 'films', request: search.request })) } as never,
  ...{ scope, federation: {} as never, metadata: null },
});
const settings = { indexUid: 'films', features: [], key: 'synonyms' } as const;

describe('a job begins in the thread of requests, unless it has steps that nothing can interrupt:', () => {
  it.each<[what: string, job: SearchJob, place: string]>([
    ['a template', { kind: 'render', body: bytes('{}'), features: [], scope }, 'spare'],
    ['hundreds of queries', queries(300), 'spare'],
    ['a filter of 90 KB', { kind: 'syntax', filter: 'a = 1 OR '.repeat(10_000) }, 'here'],
    ['a short body', { kind: 'receivedBody', of: 'similar', body: bytes('{}') }, 'here'],
    ['a body of 300 KB', { kind: 'receivedBody', of: 'similar', body: bytes(' '.repeat(300_000)) }, 'thread'],
    ['short settings', { kind: 'receivedSettings', ...settings, body: bytes('{}') }, 'here'],
    ['settings of 1 MB', { kind: 'receivedSettings', ...settings, body: new Uint8Array(1 << 20) }, 'thread'],
  ])('%s', (_, job, place) => {
    const small: SizeOf = () => ({ isLarge: false, hasLongSettings: false });
    expect(placeOf(job, job.kind === 'federated' ? small : noIndex)).toBe(place);
  });

  it.each<[what: string, size: ReturnType<SizeOf>, places: [search: string, listing: string, queries: string]]>([
    ['a small index', { isLarge: false, hasLongSettings: false }, ['here', 'here', 'here']],
    ['a large index', { isLarge: true, hasLongSettings: false }, ['thread', 'here', 'thread']],
    ['an index with long settings', { isLarge: true, hasLongSettings: true }, ['thread', 'thread', 'thread']],
  ])('%s', (_, size, [ofSearch, ofListing, ofQueries]) => {
    const sizes: SizeOf = () => size;
    for (const kind of ['search', 'facets', 'similar', 'words', 'rendered'] as const)
      expect(placeOf({ kind, ...search } as never, sizes)).toBe(ofSearch);
    expect(placeOf({ kind: 'documents', ...listing }, sizes)).toBe(ofListing);
    expect(placeOf({ kind: 'shownSettings', ...settings }, sizes)).toBe(ofListing);
    expect(placeOf(queries(8), sizes)).toBe(ofQueries);
  });
});

it('media of a long body have a limit, over all its searches', () => {
  const check = (of: 'search' | 'multiSearch', value: object): unknown =>
    runHere(engine, { kind: 'receivedBody', of, body: bytes(JSON.stringify(value)) }).value;
  const media = (count: number): object => ({ media: { items: many(count, (i) => ({ [`a${i}`]: 1 })) } });
  expect(check('search', media(24_000))).toBe(null);
  expect(() => check('search', media(26_000))).toThrow('up to 50000 values');
  const asked = many(10, () => ({ indexUid: 'a', ...media(2_600) }));
  expect(check('multiSearch', { queries: asked.slice(1) })).toBe(null);
  expect(() => check('multiSearch', { queries: asked })).toThrow('up to 50000 values');
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
  expect(() => runHere(engine, job({ other: 'x'.repeat(300_000) }))).toThrow('not counting arguments');
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
});

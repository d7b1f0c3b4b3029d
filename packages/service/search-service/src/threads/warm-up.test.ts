import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import { type EngineReader, openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { OPEN_ACCESS } from '@fossick/instance/access';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { answerSearch } from '../answers/answer-search.js';
import { runHere, type SearchJob } from '../jobs/search-jobs.js';
import { EarlyStart } from './early-start.js';
import { WarmUp } from './warm-up.js';

const MEMORY_BYTES = 32 << 20;
const folder = mkdtempSync(join(tmpdir(), 'fossick-warm-'));
let engine: EngineReader;

beforeAll(async () => {
  const writer = openEngineWriter({ rootFolder: folder, maxSearchBytes: MEMORY_BYTES });
  const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
  writer.createIndex('birds', 'id');
  await writer.applySettings(
    'birds',
    [{ filterableAttributes: ['_geo', 'f*', 'family'], sortableAttributes: ['_geo', 'size'] }],
    context,
  );
  const documents = Array.from({ length: 40 }, (_, id) => ({
    id,
    names: [`a small heron of lake ${id}`, '森の小さな鳥'],
    family: `f${id % 4}`,
    size: id,
  }));
  const payloadFile = join(folder, 'birds.ndjson');
  writeFileSync(payloadFile, documents.map((document) => JSON.stringify(document)).join('\n'));
  await writer.applyDocuments('birds', [addition(payloadFile)], context);
  await writer.close();
  engine = openEngineReader({ rootFolder: folder, maxSearchBytes: MEMORY_BYTES });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A warm-up with what the process does besides, and how many searches it has asked. */
function warmUpOf(usedMs = (): number => 0) {
  const state = { isWorking: false, askedMs: Number.NEGATIVE_INFINITY, workMs: 0 };
  const warmUp = new WarmUp({
    engine,
    run: (job) => runHere(engine, job).value,
    isWorking: () => state.isWorking,
    askedMs: () => state.askedMs,
    onWork: (milliseconds) => {
      state.workMs += milliseconds;
    },
    usedMs,
  });
  const views = vi.spyOn(engine, 'withView');
  return { state, warmUp, count: () => views.mock.calls.length };
}

it('searches an idle index for its own words until it has asked all, and keeps no answer', () => {
  const { state, warmUp, count } = warmUpOf();
  const kept = vi.fn();
  engine.withView('birds', (view) => vi.spyOn(view.queryResults, 'add').mockImplementation(kept));
  warmUp.start('birds');
  expect(count()).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(count()).toBeGreaterThan(200);
  expect(state.workMs).toBeGreaterThan(0);
  expect(vi.getTimerCount()).toBe(0);
  expect(kept).not.toHaveBeenCalled();
  // once
  const before = count();
  warmUp.start('birds');
  vi.advanceTimersByTime(60_000);
  expect(count()).toBe(before);
});

/** The names of an object's members and of theirs, in their order: what V8 tells shapes of objects apart by. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([name, member]) => [name, shapeOf(member)])
    : null;

it('asks by jobs of the shape that those of clients have', async () => {
  const jobs: SearchJob[] = [];
  const run = (job: SearchJob) => {
    jobs.push(job);
    return runHere(engine, job);
  };
  const context = {
    engine,
    features: { isOn: () => false },
    queryVectors: { embedded: (request: object) => Promise.resolve(request) },
    searchers: { takes: () => true, run: (job: SearchJob) => Promise.resolve(run(job)) },
    searchRules: { book: () => null },
    counts: { degraded: 0 },
  };
  await answerSearch(context as never, OPEN_ACCESS, 'birds', { q: 'heron' }, { withMetadata: false } as never);
  const warmUp = new WarmUp({
    engine,
    run: (job) => run(job).value as Buffer,
    askedMs: () => Number.NEGATIVE_INFINITY,
    usedMs: () => 0,
  });
  warmUp.start('birds');
  vi.advanceTimersByTime(1_000);
  const [received, ...own] = jobs;
  expect(own.length).toBeGreaterThan(5);
  expect(shapeOf(own[3])).toEqual(shapeOf(received));
});

/** A server that answers searches, with the bodies that it got. */
function serverOf(answer = (_body: object): string => '{"hits":[]}') {
  const bodies: object[] = [];
  const ask = (indexUid: string, body: object): Promise<string> => {
    bodies.push({ indexUid, ...body });
    return Promise.resolve(answer(body));
  };
  return { bodies, ask };
}
const hits = (body: object): string =>
  'offset' in body ? '{"hits":[{"names":"one two three four five six seven eight"}]}' : '';

it('goes on by requests for other words, one after another, once it has run its own searches', async () => {
  const { warmUp } = warmUpOf();
  const { bodies, ask } = serverOf(hits);
  warmUp.listening(ask);
  let isOver = false;
  warmUp.start('birds', () => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(isOver).toBe(true);
  expect(bodies.slice(0, 3)).toEqual([
    { indexUid: 'birds', limit: 20, offset: 40 },
    { indexUid: 'birds', limit: 20, q: 'one two' },
    { indexUid: 'birds', limit: 20, q: 'one' },
  ]);
  expect(bodies.length).toBeGreaterThan(200);
  expect(vi.getTimerCount()).toBe(0);
});

it('sends no request while searches are asked, after the time for them, and after a refusal', async () => {
  const ended: string[] = [];
  const waiting = warmUpOf();
  const server = serverOf(hits);
  waiting.warmUp.listening(server.ask);
  waiting.state.isWorking = true;
  waiting.warmUp.request('birds', () => ended.push('waiting'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(server.bodies).toEqual([]);
  waiting.warmUp.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(server.bodies).toEqual([]);

  let usedMs = 0;
  const costly = warmUpOf(() => usedMs);
  const slow = serverOf((body) => {
    usedMs += 1_000;
    return hits(body);
  });
  costly.warmUp.listening(slow.ask);
  costly.warmUp.request('birds', () => ended.push('costly'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(slow.bodies).toHaveLength(8);

  const refused = warmUpOf();
  const asked = vi.fn(() => Promise.reject(new Error('refused')));
  refused.warmUp.listening(asked);
  refused.warmUp.request('birds', () => ended.push('refused'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveBeenCalledTimes(1);

  // without a server there is nothing to ask
  warmUpOf().warmUp.request('birds', () => ended.push('no server'));
  expect(ended).toEqual(['costly', 'refused', 'no server']);
  expect(vi.getTimerCount()).toBe(0);
});

it('answers of one connection are awaited one after another', async () => {
  const { warmUp } = warmUpOf();
  const ended: string[] = [];
  warmUp.listening(() => new Promise(() => undefined));
  warmUp.request('birds', () => ended.push('first'));
  warmUp.request('owls', () => ended.push('second'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ended).toEqual(['second']);
});

it('waits while searches are asked and while there is other work', () => {
  const { state, warmUp, count } = warmUpOf();
  state.isWorking = true;
  warmUp.start('birds');
  vi.advanceTimersByTime(5_000);
  expect(count()).toBe(0);
  state.isWorking = false;
  state.askedMs = performance.now() + 60_000;
  vi.advanceTimersByTime(5_000);
  expect(count()).toBe(0);
  state.askedMs = Number.NEGATIVE_INFINITY;
  vi.advanceTimersByTime(300);
  expect(count()).toBeGreaterThan(0);
});

it('ends when it has used its processor time, when it is stopped, and when the index is gone', () => {
  let usedMs = 0;
  const costly = warmUpOf(() => {
    usedMs += 1_000;
    return usedMs;
  });
  const ended: string[] = [];
  costly.warmUp.start('birds', () => ended.push('costly'));
  vi.advanceTimersByTime(60_000);
  expect(vi.getTimerCount()).toBe(0);
  expect(costly.state.workMs).toBeGreaterThan(0);
  const stopped = warmUpOf();
  stopped.warmUp.start('birds', () => ended.push('stopped'));
  stopped.warmUp.stop();
  stopped.warmUp.start('birds', () => ended.push('again'));
  vi.advanceTimersByTime(60_000);
  expect(stopped.state.workMs).toBe(0);
  const gone = warmUpOf();
  gone.warmUp.start('owls', () => ended.push('gone'));
  vi.advanceTimersByTime(60_000);
  expect(vi.getTimerCount()).toBe(0);
  expect(ended).toEqual(['costly', 'gone']);
});

it.each([
  [99_999, 1_000, ['warmUp other 99999']],
  [2_000, 1_000, ['warmUp other 2000']],
  [1_999, 1_000, []],
  [100_000, 1_000, ['start other']],
  // the HTTP thread searches the smaller ones
  [100_000, 99_999, ['start other', 'warmUp more 99999']],
  [2_000, 100_000, ['start more', 'warmUp other 2000']],
  [200_000, 100_000, ['start other']],
  [3_000, 2_000, ['warmUp other 3000']],
])('with indexes of %s and %s documents: %s', (documents, more, expected) => {
  const counts: Record<string, number> = { little: 3, other: documents, more };
  const stats = (uid: string) => ({ numberOfDocuments: counts[uid] });
  const called: string[] = [];
  const early = new EarlyStart(
    { stats } as never,
    200_000,
    (uid) => called.push(`start ${uid}`),
    (uid, documentCount) => called.push(`warmUp ${uid} ${documentCount}`),
  );
  early.expectSearches(Object.keys(counts));
  vi.advanceTimersByTime(1_000);
  expect(called).toEqual(expected);
});

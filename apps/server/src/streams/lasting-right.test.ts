import { apiError } from '@fossick/base';
import { type Access, OPEN_ACCESS, withinCaller } from '@fossick/instance/access';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MASTER_KEY, MovieServer } from '../e2e/movie-server.test-support.js';
import { endingRights, KEY_UID } from './ending-rights.test-support.js';
import { LastingRight } from './lasting-right.js';

afterEach(() => void vi.useRealTimers());

describe('a right that lasts', () => {
  const NEVER = Number.POSITIVE_INFINITY;
  /** A right that expires after so many milliseconds, and whose check gives what `rights` says. */
  function watch(afterMs: number, rights: () => readonly (Access | undefined)[] = () => [OPEN_ACCESS]) {
    vi.useFakeTimers();
    const expiryMs = Date.now() + afterMs;
    const listeners = new Set<() => void>();
    const onChange = (listener: () => void): Disposable => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    };
    const lost: string[] = [];
    const check = (): readonly (Access | undefined)[] => {
      if (Date.now() >= expiryMs) throw apiError('invalid_api_key', 'expired', 'API key', 'then');
      return rights();
    };
    const right = new LastingRight({ guard: { expiryOf: () => expiryMs, onChange }, features: { onChange } } as never, {
      authorization: undefined,
      check,
      onLost: ({ code }) => lost.push(code),
    });
    const change = (): void => {
      for (const listener of listeners) listener();
    };
    return { right, lost, change, listeners };
  }

  it.each([
    1, 2, 999, 14_999, 15_000, 15_001, 61_000, 86_400_000,
  ])('is gone after the %i ms for which it was given', (ms) => {
    const { right, lost, listeners } = watch(ms);
    vi.advanceTimersByTime(ms - 1);
    expect([right.holds(), lost]).toEqual([true, []]);
    vi.advanceTimersByTime(1);
    expect([lost, right.holds(), listeners.size, vi.getTimerCount()]).toEqual([['invalid_api_key'], false, 0, 0]);
  });

  it('needs no timer if it never expires, and ends without a word when it is given back', () => {
    const { right, lost, listeners } = watch(NEVER);
    expect([vi.getTimerCount(), listeners.size]).toEqual([0, 1]);
    right[Symbol.dispose]();
    expect([lost, right.holds(), listeners.size]).toEqual([[], false, 0]);
    const other = watch(1_000);
    other.right[Symbol.dispose]();
    vi.advanceTimersByTime(2_000);
    expect([other.lost, vi.getTimerCount()]).toEqual([[], 0]);
  });

  it('is asked for by the clock before each piece, also when the clock was set', () => {
    const { right, lost } = watch(3_600_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect([right.holds(), lost]).toEqual([false, ['invalid_api_key']]);
    const quiet = watch(3_600_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    vi.advanceTimersByTime(15_000);
    expect(quiet.lost).toEqual(['invalid_api_key']);
  });

  const within = (scope: object): Access =>
    withinCaller(OPEN_ACCESS, { 'fossick-caller-scope': Buffer.from(JSON.stringify(scope)).toString('base64url') });
  const films = within({ patterns: ['films'], rules: null });
  it.each<[string, readonly (Access | undefined)[], readonly (Access | undefined)[], boolean]>([
    ['the same', [OPEN_ACCESS], [OPEN_ACCESS], false],
    ['the same indexes', [films], [within({ patterns: ['films'], rules: null })], false],
    ['fewer indexes', [OPEN_ACCESS], [films], true],
    ['more indexes', [films], [OPEN_ACCESS], true],
    ['other indexes', [films], [within({ patterns: ['books'], rules: null })], true],
    ['a filter', [films], [within({ patterns: ['films'], rules: [['films', 'a = 1']] })], true],
    ['no searches any more', [OPEN_ACCESS, OPEN_ACCESS], [OPEN_ACCESS, undefined], true],
    ['searches', [OPEN_ACCESS, undefined], [OPEN_ACCESS, OPEN_ACCESS], true],
    ['a guarded index hidden', [OPEN_ACCESS], [within({ patterns: null, rules: null, hidesLedger: true })], true],
    ['no searches as before', [films, undefined], [films, undefined], false],
  ])('after a change that gives %s', (_, before, after, isLost) => {
    let rights = before;
    const { lost, change, right } = watch(NEVER, () => rights);
    change();
    expect(right.holds()).toBe(true);
    rights = after;
    change();
    change();
    expect([lost.length === 1, right.holds()]).toEqual([isLost, !isLost]);
  });
});

describe('an answer that goes on', () => {
  const movies = new MovieServer();
  const FEATURES = { tasksStreamingRoute: true, logsRoute: true } as const;
  const { newKey, ends, restored } = endingRights(movies, FEATURES, ['tasks.get', 'metrics.get', 'search']);

  beforeAll(async () => {
    await movies.start();
    await movies.call('PATCH', '/experimental-features', FEATURES);
  });
  afterAll(() => movies.stop());

  it.each(
    [
      ['GET', '/tasks/stream'],
      ['GET', '/batches/stream'],
      ['POST', '/logs/stream'],
    ].flatMap(([method, path]) => ends.map(({ when, end }) => ({ method: method!, path: path!, when, end }))),
  )('$path ends when $when', async ({ method, path, end }) => {
    const key = await newKey();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = method === 'POST' ? { body: JSON.stringify({ target: 'info' }) } : {};
    const answer = await fetch(`${movies.server.url}${path}`, { method, headers, ...body });
    expect(answer.status).toBe(200);
    await end();
    // resolves only when the stream ends; keep-alives would come every 15 seconds
    const text = await answer.text();
    expect(text).not.toContain('keep-alive');
    await restored();
    // another one may listen
    const admin = { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' };
    const next = await fetch(`${movies.server.url}${path}`, { method, headers: admin, ...body });
    expect(next.status).toBe(200);
    await next.body!.cancel();
    if (method === 'POST') await movies.call('DELETE', '/logs/stream');
  });

  it('goes on for others, and when another key changes', async () => {
    const [key, other] = [await newKey(), '7062abda-a5aa-4414-ac91-ecd7944c0f8d'];
    const answer = await fetch(`${movies.server.url}/tasks/stream`, { headers: { authorization: `Bearer ${key}` } });
    await newKey(other);
    await movies.call('PATCH', `/keys/${KEY_UID}`, { name: 'renamed' });
    await movies.call('PATCH', '/experimental-features', { containsFilter: true });
    await movies.call('DELETE', `/keys/${other}`);
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    await movies.call('PATCH', '/indexes/movies/settings', { stopWords: ['goes on'] });
    expect((await reader.read()).value).toMatch(/^data: \{"uid":/);
    await reader.cancel();
    await restored();
  });
});

import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { comparedPart } from './decided.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { findDifferences, kindOf } from './differences.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { makeRound } from './rounds.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { Server } from './servers.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { shrinkCase } from './shrink.mjs';

describe('rounds', () => {
  it('are the same for the same seed, and others for another', () => {
    expect(makeRound(3, 'x', 20)).toEqual(makeRound(3, 'x', 20));
    expect(makeRound(3, 'x', 20)).not.toEqual(makeRound(4, 'x', 20));
  });

  it('ask as often as they should, and leave out settings that are named', () => {
    for (let seed = 0; seed < 30; seed++) {
      const steps = makeRound(seed, 'x', 25, ['proximityPrecision']);
      expect(steps.filter((step: { query?: object }) => step.query !== undefined)).toHaveLength(25);
      expect(JSON.stringify(steps)).not.toContain('proximityPrecision');
    }
  });
});

describe('differences', () => {
  it.each([
    ['nothing', { a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, []],
    ['times and words of messages', { processingTimeMs: 1, message: 'a' }, { processingTimeMs: 2, message: 'b' }, []],
    ['the last digits of a score', { _rankingScore: 0.5 }, { _rankingScore: 0.50000001 }, []],
    ['a score', { _rankingScore: 0.5 }, { _rankingScore: 0.51 }, ['_rankingScore']],
    ['a member that is missing', { a: 1 }, {}, ['a']],
    ['a list that is none', { a: [] }, { a: {} }, ['a']],
    ['the order of hits, told once', { hits: [{ id: 1 }, { id: 2 }] }, { hits: [{ id: 2 }, { id: 1 }] }, ['hits']],
    [
      'the order of counts',
      { facetDistribution: { f: { a: 1, b: 2 } } },
      { facetDistribution: { f: { b: 2, a: 1 } } },
      ['facetDistribution.f'],
    ],
  ])('tell %s', (_, left, right, paths) => {
    expect(findDifferences(left, right).map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  it('are counted by kind', () => {
    expect(kindOf({ path: 'body.hits.12._rankingScore' })).toBe('body.hits.N._rankingScore');
  });
});

describe('what is decided otherwise', () => {
  const part = (body: object, faceting: object, isOneBatch: boolean) =>
    comparedPart({ body: {} }, { status: 200, body }, { settings: { faceting }, isOneBatch }).body;
  const byCount = { maxValuesPerFacet: 2, sortFacetValuesBy: { '*': 'count' } };
  const [left, right] = [
    { a: 2, b: 1 },
    { a: 2, c: 1 },
  ].map((f) => ({ facetDistribution: { f } }));

  it('is which values of one count are shown, where several batches filled the index', () => {
    expect(part(left!, byCount, false)).toEqual(part(right!, byCount, false));
    expect(part(left!, byCount, true)).not.toEqual(part(right!, byCount, true));
    expect(part(left!, { maxValuesPerFacet: 2 }, false)).not.toEqual(part(right!, { maxValuesPerFacet: 2 }, false));
  });

  it('is no error: its code is compared', () => {
    const of = (code: string) => comparedPart({}, { status: 400, body: { code, message: 'm' } }, { settings: {} });
    expect(of('a')).toEqual({ status: 400, body: { code: 'a' } });
  });
});

it('a case is made as small as it goes', async () => {
  const documents = Array.from({ length: 40 }, (_, id) => ({ id, title: `one two ${id}`, more: 'x' }));
  const start = {
    writes: [
      { method: 'POST', path: '/indexes', body: { uid: 'x' } },
      { method: 'PATCH', path: '/indexes/x/settings', body: { stopWords: ['a'], synonyms: {} } },
      { method: 'POST', path: '/indexes/x/documents', body: documents },
    ],
    query: { method: 'POST', path: '/indexes/x/search', body: { q: 'one two three', limit: 3 } },
  };
  const differs = async ({ writes, query }: typeof start): Promise<boolean> =>
    JSON.stringify(writes).includes('"id":17') && /two/.test(String(query.body.q));
  const small = await shrinkCase(start, differs);
  expect(small.query.body).toEqual({ q: 'two' });
  expect(small.writes).toHaveLength(2);
  expect(small.writes[1].body).toEqual([{ id: 17 }]);
});

describe('a server', () => {
  let http: HttpServer;
  afterEach(() => http.close());

  it('is asked with its key, and waited for until its task is over', async () => {
    const seen: string[] = [];
    http = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const isOver = seen.length > 2;
      response.statusCode = request.method === 'POST' ? 202 : 200;
      response.end(JSON.stringify({ taskUid: 7, status: isOver ? 'failed' : 'enqueued', error: { code: 'x' } }));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const server = new Server(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`, 'key');
    expect(await server.write({ method: 'POST', path: '/indexes', body: {} })).toEqual({ status: 'failed', code: 'x' });
    expect(seen).toEqual(['POST /indexes Bearer key', 'GET /tasks/7 Bearer key', 'GET /tasks/7 Bearer key']);
  });
});

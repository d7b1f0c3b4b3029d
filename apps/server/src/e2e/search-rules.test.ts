/** Search rules over HTTP: actions in both forms, scaled scores, and rules of one search. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const FILMS = [
  { id: 1, title: 'red sea', genre: 'drama', stock: 1 },
  { id: 2, title: 'red land', genre: 'comedy', stock: 0 },
  { id: 3, title: 'the red sky', genre: 'drama', stock: 3 },
  { id: 4, title: 'blue sky', genre: 'comedy', stock: 2 },
];
interface Answer {
  readonly hits: readonly (Record<string, unknown> & { readonly id: number })[];
  readonly metadata?: { readonly inlineRuleConditionOutcomes?: unknown };
  readonly code?: string;
  readonly message?: string;
}

describe('search rules', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(folder);
    await server.call('PATCH', '/experimental-features', { dynamicSearchRules: true });
    await server.call('PATCH', '/indexes/films/settings', { filterableAttributes: ['genre', 'stock'] });
    await server.call('POST', '/indexes/films/documents', FILMS);
    await server.allTasksDone();
  });
  afterAll(async () => {
    await server?.stop();
    removeFolder(folder);
  });
  const put = async (uid: string, rule: object | null): Promise<void> => {
    const { status } = await server.call(
      rule === null ? 'DELETE' : 'PATCH',
      `/dynamic-search-rules/${uid}`,
      rule ?? undefined,
    );
    expect(status).toBe(202);
    await server.allTasksDone();
  };
  const search = async (body: object, headers = {}): Promise<Answer> =>
    (await server.call<Answer>('POST', '/indexes/films/search', body, headers)).body;
  const idsOf = ({ hits }: Answer): number[] => hits.map(({ id }) => id);
  const refused = async (actions: object): Promise<string | undefined> => {
    const { status, body } = await server.call<Answer>('PATCH', '/dynamic-search-rules/wrong', { actions });
    expect(status).toBe(400);
    return body.code;
  };

  test('are returned with their actions in the form in which they were sent', async () => {
    const listed = [{ selector: { indexUid: 'films', id: '4' }, action: { type: 'pin', position: 0 } }];
    const byKind = { pin: [{ id: '4', position: 1 }], scale: [{ weight: 2, filter: 'genre = drama' }] };
    for (const actions of [listed, byKind]) {
      await put('shown', { actions });
      const { body } = await server.call<{ actions: unknown }>('GET', '/dynamic-search-rules/shown');
      expect(body.actions).toEqual(actions);
      expect(idsOf(await search({ q: 'red' }))).toContain(4);
    }
    await put('shown', null);
  });

  test('raise, lower and hide documents, and say so in the details of scores', async () => {
    expect(idsOf(await search({ q: 'red' }))).toEqual([1, 2, 3]);
    await put('sale', {
      actions: {
        scale: [
          { weight: 3, ids: ['3'] },
          { weight: 0, filter: 'stock = 0', indexUid: 'films' },
        ],
      },
    });
    const { hits } = await search({ q: 'red', showRankingScore: true, showRankingScoreDetails: true });
    expect(hits.map(({ id }) => id)).toEqual([3, 1]);
    expect(hits[0]!['_rankingScoreDetails']).toMatchObject({ scale: { rules: ['sale'], weight: 3 } });
    expect(hits[1]!['_rankingScoreDetails']).not.toHaveProperty('scale');
    expect(hits[0]!['_rankingScore']).toBe(1);
    const federated = { federation: {}, queries: [{ indexUid: 'films', q: 'red' }] };
    const merged = await server.call<Answer>('POST', '/multi-search', federated);
    expect(idsOf(merged.body)).toEqual([3, 1]);
    await put('sale', null);
  });

  test.each([
    'zephyr up',
    'a/b',
    'é',
    'x'.repeat(513),
    '*',
  ])('the uid `%s` is refused as one of a rule', async (uid) => {
    const path = `/dynamic-search-rules/${encodeURIComponent(uid)}`;
    const told = [
      await server.call<Answer>('PATCH', path, { active: false }),
      await server.call<Answer>('GET', path),
      await server.call<Answer>('GET', `${path}/target`),
      await server.call<Answer>('DELETE', path),
    ];
    const message = `\`${uid}\` is not a valid uid of a dynamic search rule: it takes 1 to 400 of the characters a-z, A-Z, 0-9, \`-\` and \`_\`.`;
    for (const answer of told)
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_index_uid', message } });
    const inline = { inlineRule: { uid, actions: { pin: [] } } };
    expect(await server.call<Answer>('POST', '/indexes/films/search', inline)).toMatchObject({
      status: 400,
      body: { code: 'invalid_search_inline_rule', message },
    });
  });

  test('cannot have the reserved name, which no rule is found under', async () => {
    const path = '/dynamic-search-rules/__meilisearch_metadata';
    const refused = await server.call<Answer>('PATCH', path, { active: false });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_index_uid' } });
    expect(refused.body.message).toContain('`__meilisearch_metadata` is reserved');
    expect(await server.call('GET', path)).toMatchObject({
      status: 404,
      body: { code: 'dynamic_search_rule_not_found' },
    });
    await put('__meilisearch', { active: false });
    await put('__meilisearch', null);
  });

  test('are refused with actions that cannot be', async () => {
    const code = 'invalid_dynamic_search_rule_actions';
    for (const scale of [{ ids: ['1'] }, { weight: -1 }, { weight: 'much' }, { weight: 1, filter: 'genre =' }])
      expect(await refused({ scale: [scale] })).toBe(code);
    expect(await refused({ scale: [{ weight: 1, filter: '_foreign(genre, name = a)' }] })).toBe(code);
    expect(await refused({ pin: [{ id: '1' }] })).toBe(code);
    expect(await refused({ push: [] })).toBe(code);
  });

  test('of one search are applied to it alone, in place of a stored rule of their name', async () => {
    await put('sale', { actions: { scale: [{ weight: 0, ids: ['1'] }] } });
    const inlineRule = { uid: 'sale', actions: { pin: [{ id: '4', position: 0 }] } };
    expect(idsOf(await search({ q: 'red', inlineRule }))).toEqual([4, 1, 2, 3]);
    expect(idsOf(await search({ q: 'red' }))).toEqual([2, 3]);
    const queries = [
      { indexUid: 'films', q: 'red', inlineRule },
      { indexUid: 'films', q: 'red' },
    ];
    const { body } = await server.call<{ results: readonly Answer[] }>('POST', '/multi-search', { queries });
    expect(body.results.map(idsOf)).toEqual([
      [4, 1, 2, 3],
      [2, 3],
    ]);
    const merged = await server.call<Answer>('POST', '/multi-search', { federation: {}, queries: queries.slice(0, 1) });
    expect(idsOf(merged.body)).toEqual([4, 1, 2, 3]);
    await put('sale', null);
  });

  test.each<[string, object, object, object]>([
    ['a rule without conditions', {}, { q: 'red' }, {}],
    ['an inactive one', { active: false }, { q: 'red' }, { satisfiesActiveCondition: false }],
    [
      'words',
      { conditions: { query: { words: 'red sea' } } },
      { q: 'Sea red' },
      { satisfiesQueryWordsCondition: 'satisfied' },
    ],
    [
      'a missing word',
      { conditions: { query: { words: 'red sea' } } },
      { q: 'red' },
      { satisfiesQueryWordsCondition: { missingWord: { word: 'sea' } } },
    ],
    [
      'a query',
      { conditions: { query: { isEmpty: true } } },
      { q: 'red' },
      { satisfiesQueryEmptyCondition: 'queryNotEmpty' },
    ],
    ['no query', { conditions: { query: { isEmpty: false } } }, {}, { satisfiesQueryEmptyCondition: 'queryEmpty' }],
    [
      'a later time',
      { conditions: { time: { start: '2999-01-01T00:00:00Z' } } },
      {},
      { satisfiesTimeCondition: 'tooEarly' },
    ],
    [
      'a time that is over',
      { conditions: { time: { end: '2000-01-01T00:00:00Z' } } },
      {},
      { satisfiesTimeCondition: 'tooLate' },
    ],
    [
      'a filter',
      { conditions: { filter: { values: { genre: 'drama' } } } },
      { filter: 'genre = drama' },
      { satisfiesFilterCondition: 'satisfied' },
    ],
  ])('tell in the metadata how their conditions turned out: %s', async (_, conditions, request, expected) => {
    const inlineRule = { uid: 'preview', ...conditions, actions: { scale: [{ weight: 0, filter: 'stock >= 0' }] } };
    const answer = await search({ ...request, inlineRule }, { 'meili-include-metadata': 'true' });
    const outcomes: Record<string, unknown> = { satisfiesActiveCondition: true, ...expected };
    expect(answer.metadata!.inlineRuleConditionOutcomes).toEqual(outcomes);
    const isSatisfied = Object.values(outcomes).every((outcome) => outcome === true || outcome === 'satisfied');
    expect(answer.hits.length === 0).toBe(isSatisfied);
    const federated = { federation: {}, queries: [{ ...request, indexUid: 'films', inlineRule }] };
    const merged = await server.call<{ metadata: readonly Answer['metadata'][] }>('POST', '/multi-search', federated, {
      'meili-include-metadata': 'true',
    });
    expect(merged.body.metadata[0]!.inlineRuleConditionOutcomes).toEqual(outcomes);
  });

  test('of one search need a name, valid members and the feature', async () => {
    for (const [inlineRule, code] of [
      [{}, 'invalid_search_inline_rule'],
      ['sale', 'invalid_search_inline_rule'],
      [{ uid: 'a b' }, 'invalid_search_inline_rule'],
      [{ uid: 'a', actions: { scale: [{}] } }, 'invalid_dynamic_search_rule_actions'],
    ])
      expect((await search({ inlineRule })).code).toBe(code);
    expect((await search({ inlineRule: null })).hits).toHaveLength(4);
    await server.call('PATCH', '/experimental-features', { dynamicSearchRules: false });
    expect((await search({ inlineRule: { uid: 'a' } })).code).toBe('feature_not_enabled');
    await server.call('PATCH', '/experimental-features', { dynamicSearchRules: true });
  });
});

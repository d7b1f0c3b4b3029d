import { readFileSync } from 'node:fs';
import { createEngine as createProcessEngine, type Engine } from 'fossick';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { films } from '../films.test-support.js';
import type { Federation, Query } from '../multi-search.js';
import { createEngine, type WebEngine } from './index.js';

const kernel = new Uint8Array(
  readFileSync(new URL('../../../foundation/kernel/build/kernel.fast.wasm', import.meta.url)),
);
const SETTINGS = { filterableAttributes: ['genres', 'title', 'year'], sortableAttributes: ['year'] } as const;

/** The answer, or the code and text of the error, without times and ids of requests. */
async function outcomeOf(engine: Engine | WebEngine, queries: readonly Query[], federation?: Federation) {
  try {
    const answer = await (federation === undefined
      ? engine.multiSearch(queries)
      : engine.multiSearch(queries, federation));
    const text = JSON.stringify(answer, (name, value) => (/^(processingTimeMs|requestUid)$/.test(name) ? '' : value));
    return JSON.parse(text) as unknown;
  } catch (error) {
    // the built package has a class of its own
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code === undefined) throw error;
    return [code, message];
  }
}

/** The engine in a process is tried as others get it: built, with its threads. */
const isBuilt = process.env['FOSSICK_TEST_BUILT'] === '1';

describe.skipIf(!isBuilt)('several searches at once', () => {
  let inProcess: Engine;
  let web: WebEngine;
  beforeAll(async () => {
    inProcess = await createProcessEngine();
    web = await createEngine({ kernel });
    for (const engine of [inProcess, web])
      for (const [uid, from, to] of [
        ['old', 0, 150],
        ['new', 100, 300],
      ] as const) {
        await engine.index(uid).updateSettings(SETTINGS as never);
        await engine.index(uid).add(films(300).slice(from, to) as never);
      }
  });
  afterAll(() => Promise.all([inProcess.close(), web.close()]));

  const [love, star]: readonly Query[] = [
    { indexUid: 'old', q: 'lvoe', attributesToRetrieve: ['title'] },
    { indexUid: 'new', q: 'star', filter: 'year > 1900', attributesToHighlight: ['title'], showRankingScore: true },
  ];
  it.each<[string, readonly Query[], Federation?]>([
    ['two searches', [{ ...love!, limit: 3 }, star!]],
    ['none', []],
    ['one list', [love!, star!], {}],
    ['a weighted query', [{ ...love!, federationOptions: { weight: 3 } }, star!], { limit: 7, offset: 1 }],
    ['facets by index', [love!, star!], { facetsByIndex: { old: ['genres'], new: ['year'] }, hitsPerPage: 4, page: 2 }],
    ['merged facets', [love!, star!], { facetsByIndex: { old: ['genres'], new: ['genres'] }, mergeFacets: {} }],
    [
      'each id once',
      [
        { ...love!, q: 'the' },
        { ...star!, q: 'the' },
      ],
      { distinct: 'title', limit: 40 },
    ],
    ['an index that is not there', [love!, { indexUid: 'absent' }]],
    ['a filter that is wrong', [love!, { ...star!, filter: 'year >' }], {}],
    ['a page of one query of a merged list', [{ ...love!, limit: 3 }, star!], {}],
    ['a weight without a merged list', [{ ...love!, federationOptions: { weight: 2 } }]],
    ['another instance', [{ ...love!, federationOptions: { remote: 'ms-1' } as never }], {}],
    ['a query of the whole network', [{ ...love!, useNetwork: true } as never], {}],
    ['no uid', [{ q: 'x' } as never]],
  ])('%s: the engine of a page answers as the one of a process', async (_, queries, federation) => {
    expect(await outcomeOf(web, queries, federation)).toEqual(await outcomeOf(inProcess, queries, federation));
  });
});

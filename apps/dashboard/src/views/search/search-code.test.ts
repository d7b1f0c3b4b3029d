import { expect, it } from 'vitest';
import { NO_OPTIONS } from '../../parts/search-options.js';
import { codeOf, plainSearchOf } from './search-code.js';
import { EMPTY_SEARCH } from './search-state.js';

const HOSTILE = `it's "$HOME" \`id\` \\ \n ü 🎬`;
const PLACE = { url: 'http://127.0.0.1:7700', uid: 'films', hasKey: false };

it('the search of others has what the user chose, and nothing that only the page needs', () => {
  expect(plainSearchOf(EMPTY_SEARCH, [])).toEqual({ q: '', limit: 20 });
  const state = {
    ...EMPTY_SEARCH,
    q: 'sea',
    page: 3,
    picked: { genre: ['Drama'] },
    sort: 'year:desc',
    embedder: 'small',
    options: { ...NO_OPTIONS, typos: 'off' as const, groupBy: 'genre' },
  };
  expect(plainSearchOf(state, ['*'])).toEqual({
    ...{ q: 'sea', filter: [['"genre" = "Drama"']], sort: ['year:desc'], facets: ['*'], offset: 40, limit: 20 },
    ...{ hybrid: { embedder: 'small', semanticRatio: 0.5 }, typoTolerance: false, group: { by: 'genre' } },
  });
});

it('as curl it is one command, whatever the texts hold', () => {
  const search = { q: HOSTILE, filter: [`"a" = "it's"`], limit: 20 };
  const code = codeOf('curl', search, { ...PLACE, hasKey: true });
  // what a shell makes of single quotes
  const words = code.replaceAll(`'\\''`, '\u0000').split("'");
  expect(words.length % 2).toBe(1);
  expect(JSON.parse(words.at(-2)!.replaceAll('\u0000', "'"))).toEqual(search);
  expect(words.filter((_, at) => at % 2 === 0).join('')).not.toMatch(/id|\$HOME/);
  expect(code).toContain('"Authorization: Bearer $FOSSICK_KEY"');
  expect(codeOf('curl', search, PLACE)).not.toContain('Authorization');
});

it('as JavaScript it is a program of the client', async () => {
  const search = { q: HOSTILE, hybrid: { embedder: 'e', semanticRatio: 0.5 }, exactDistinctCounts: true, limit: 20 };
  const [, ...lines] = codeOf('JavaScript', search, { ...PLACE, uid: "a-'b" }).split('\n');
  const asked: unknown[] = [];
  class Meilisearch {
    constructor(options: unknown) {
      asked.push(options);
    }
    index = (uid: string) => ({
      search: async (q: string, options: unknown) => {
        asked.push(uid, q, options);
        return { hits: [] };
      },
    });
  }
  const run = new Function('Meilisearch', 'console', `return (async () => { ${lines.join('\n')} })()`);
  await run(Meilisearch, { log: () => undefined });
  const { q, ...options } = search;
  expect(asked).toEqual([{ host: PLACE.url }, "a-'b", q, options]);
});

it('as Python it has its words for true, false and nothing', () => {
  const search = {
    q: HOSTILE,
    typoTolerance: false,
    exactDistinctCounts: true,
    distinct: null as never,
    facets: [],
    limit: 20,
  };
  expect(codeOf('Python', search, { ...PLACE, hasKey: true })).toBe(
    [
      'import os',
      'import meilisearch  # pip install meilisearch',
      '',
      'client = meilisearch.Client("http://127.0.0.1:7700", os.environ["FOSSICK_KEY"])',
      `answer = client.index("films").search(${JSON.stringify(HOSTILE)}, {`,
      '    "typoTolerance": False,',
      '    "exactDistinctCounts": True,',
      '    "distinct": None,',
      '    "facets": [],',
      '    "limit": 20,',
      '})',
      'print(answer["hits"])',
    ].join('\n'),
  );
});

import { expect, it } from 'vitest';
import { ApiFault } from '../../api/client.js';
import { changeSearch, EMPTY_SEARCH } from './search-state.js';
import { whyNotFound, wordsOf } from './why-not.js';

const SETTINGS = {
  searchableAttributes: ['title'],
  filterableAttributes: ['shelf', 'year', { attributePatterns: ['x*'] }],
  stopWords: ['The'],
  pagination: { maxTotalHits: 3 },
};
const PLACE = { uid: 'my books', primaryKey: 'isbn', settings: SETTINGS };
const BOOK = { isbn: 'b-7', title: 'The Land', note: 'about Wolves', shelf: 'a "b"', year: 1890 };

/** A server with one book; `found`: the ids that a search answers. */
function serverOf(found: (search: { q?: string; filter: unknown[] }) => string[]) {
  const asked: { path: string; body: unknown }[] = [];
  const ask = async <T>(_method: string, path: string, body?: unknown): Promise<T> => {
    asked.push({ path, body });
    if (path === '/indexes/my%20books/documents/b-7') return BOOK as T;
    if (path.endsWith('/documents/fetch'))
      return { results: JSON.stringify(body).includes('Verne') ? [] : [{ isbn: 'b-7' }] } as T;
    if (path === '/indexes/my%20books/search')
      return { hits: found(body as never).map((isbn) => ({ isbn })), processingTimeMs: 0 } as T;
    throw new ApiFault(404, 'document_not_found', 'none');
  };
  return { ask, asked };
}
const texts = (findings: Awaited<ReturnType<typeof whyNotFound>>) =>
  findings.map(({ isMet, text }) => `${isMet ? '+' : '-'} ${text}`);

it('a document that is not there is not found', async () => {
  expect(texts(await whyNotFound(serverOf(() => []).ask, PLACE, EMPTY_SEARCH, 'b/8'))).toEqual([
    '- There is no document b/8.',
  ]);
});

it('tells each condition, each word and its rank', async () => {
  const state = changeSearch(
    { ...EMPTY_SEARCH, q: 'the lands, wolves' },
    { kind: 'pick', attribute: 'author', values: ['Verne', 'Wells'] },
  );
  const { ask, asked } = serverOf(({ q }) => (q === 'lands' ? ['b-7'] : []));
  expect(texts(await whyNotFound(ask, PLACE, state, 'b-7'))).toEqual([
    '+ Document b-7 is there.',
    '- It does not pass the filter "author" = "Verne" OR "author" = "Wells".',
    '+ “the” is a stop word, which searches pass over.',
    '+ It has “lands”.',
    '- It does not have “wolves” where it is searched: it is in note, not among the searchable attributes.',
    '+ A search leaves out words from the end, if too few documents have all of them.',
    '- The search does not find it.',
  ]);
  // words are sought among documents with its values
  expect(asked.find(({ body }) => (body as { q?: string })?.q === 'lands')!.body).toMatchObject({
    filter: ['"shelf" = "a \\"b\\""', '"year" = 1890'],
    matchingStrategy: 'all',
    limit: 3,
  });
});

it('tells a hit that is on a later page from one beyond all pages', async () => {
  const state = { ...EMPTY_SEARCH, q: 'land' };
  const many = Array.from({ length: 44 }, (_, at) => `o-${at}`);
  const late = serverOf(() => [...many, 'b-7']);
  expect(texts(await whyNotFound(late.ask, PLACE, state, 'b-7')).at(-1)).toBe('+ It is hit 45, on page 3.');
  const beyond = serverOf(({ filter }) => (filter.length > 0 ? ['b-7'] : many));
  expect(texts(await whyNotFound(beyond.ask, PLACE, state, 'b-7')).at(-1)).toMatch(
    /^- It matches, but is not among the first 3 hits/,
  );
});

it('tells phrases, and words that the search excludes', async () => {
  const state = { ...EMPTY_SEARCH, q: 'land "the sea" -wolves -"old maps"' };
  const { ask } = serverOf(({ q }) => (q === 'land' || q === '"wolves"' ? ['b-7'] : []));
  expect(texts(await whyNotFound(ask, PLACE, state, 'b-7'))).toEqual([
    '+ Document b-7 is there.',
    '+ It has “land”.',
    '- It does not have “the sea” as it is written.',
    '- It has “wolves”, which the search excludes.',
    '+ It does not have “old maps”, which the search excludes.',
    '- The search does not find it.',
  ]);
});

it('words are cut at signs, not at marks of a letter', () => {
  expect(wordsOf(`naïve (cafe\u0301 OR l'eau) -42 "東京"`)).toEqual([
    'naïve',
    'cafe\u0301',
    'OR',
    "l'eau",
    '42',
    '東京',
  ]);
});

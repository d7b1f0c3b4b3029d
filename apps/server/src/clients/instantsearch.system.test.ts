import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';
import instantsearch from 'instantsearch.js';
import {
  connectConfigure,
  connectGeoSearch,
  connectHits,
  connectNumericMenu,
  connectPagination,
  connectRefinementList,
  connectSearchBox,
  connectSortBy,
} from 'instantsearch.js/es/connectors/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { addFilms, FILMS, MASTER_KEY } from './films.test-support.js';

/** What the widgets were last given to show. */
interface Shown {
  hits?: { items: Record<string, unknown>[]; results?: { nbHits: number; nbPages: number } };
  genres?: { items: { value: string; count: number; isRefined: boolean }[]; refine: (value: string) => void };
  studios?: { items: { value: string; count: number; isRefined: boolean }[]; refine: (value: string) => void };
  pages?: { nbPages: number; currentRefinement: number; refine: (page: number) => void };
  years?: { items: { label: string; value: string }[]; refine: (value: string) => void };
  box?: { refine: (query: string) => void };
  order?: { refine: (value: string) => void };
  map?: { items: { id: number }[]; refine: (box: object) => void; clearMapRefinement: () => void };
}

describe('InstantSearch over instant-meilisearch', () => {
  const folder = newDatabaseFolder();
  const shown: Shown = {};
  let server: ServerProcess;
  let search: ReturnType<typeof instantsearch>;

  /** Does something and waits until its answer is shown: searches begin and are shown with the next turn of the event loop. */
  const after = async (change: () => void): Promise<Shown> => {
    change();
    await turn();
    while (search.status !== 'idle') await turn();
    await turn();
    return shown;
  };
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
  const countsOf = (items: { value: string; count: number }[] | undefined): Record<string, number> =>
    Object.fromEntries((items ?? []).map(({ value, count }) => [value, count]));
  const genreCounts = (genre: string, films = FILMS): number =>
    films.filter(({ genres }) => genres.includes(genre)).length;

  beforeAll(async () => {
    server = await startServerProcess(folder, ['--master-key', MASTER_KEY]);
    await addFilms(server);
    const { searchClient } = instantMeiliSearch(server.url, MASTER_KEY, { finitePagination: true });
    search = instantsearch({ indexName: 'films', searchClient: searchClient as never });
    const keep =
      <K extends keyof Shown>(name: K) =>
      (options: unknown) => {
        shown[name] = options as Shown[K];
      };
    search.addWidgets([
      connectConfigure(() => undefined)({ searchParameters: { hitsPerPage: 7 } }),
      connectSearchBox(keep('box'))({}),
      connectHits(keep('hits'))({}),
      // disjunctive: values of the same facet add up
      connectRefinementList(keep('genres'))({ attribute: 'genres', operator: 'or' }),
      connectRefinementList(keep('studios'))({ attribute: 'studio', operator: 'and' }),
      connectNumericMenu(keep('years'))({
        attribute: 'year',
        items: [{ label: 'all' }, { label: 'old', end: 1969 }, { label: 'new', start: 1970 }],
      }),
      connectPagination(keep('pages'))({}),
      connectSortBy(keep('order'))({
        items: [
          { value: 'films', label: 'best' },
          { value: 'films:year:desc', label: 'newest' },
        ],
      }),
      connectGeoSearch(keep('map') as never)({}),
    ] as never);
    await after(() => search.start());
    while (shown.hits?.results === undefined) await turn();
  });
  afterAll(async () => {
    search?.dispose();
    await server?.kill();
    removeFolder(folder);
  });

  test('counts facets, and pages through all there is', async () => {
    expect(countsOf(shown.genres?.items)).toEqual({ Drama: 15, Comedy: 15, Crime: 15, Western: 15, Family: 8 });
    expect(shown.pages).toMatchObject({ nbPages: 9, currentRefinement: 0 });
    const last = await after(() => shown.pages!.refine(8));
    expect(last.hits?.items).toHaveLength(FILMS.length - 8 * 7);
    await after(() => shown.pages!.refine(0));
  });

  test('a query marks what matched, with a typo too', async () => {
    const { hits } = await after(() => shown.box!.refine('harbuor 12'));
    expect(hits?.items[0]).toMatchObject({ id: 12 });
    expect(JSON.stringify(hits?.items[0]?.['_highlightResult'])).toContain('<mark>');
    await after(() => shown.box!.refine(''));
  });

  test('disjunctive facets keep the counts of their own values, and narrow others', async () => {
    await after(() => shown.genres!.refine('Drama'));
    // what else could be chosen in addition to Drama keeps its count
    expect(countsOf(shown.genres?.items)).toEqual({ Drama: 15, Comedy: 15, Crime: 15, Western: 15, Family: 8 });
    const dramas = FILMS.filter(({ genres }) => genres.includes('Drama'));
    const inStudio = (name: string): number => dramas.filter(({ studio }) => studio === name).length;
    expect(countsOf(shown.studios?.items)).toEqual({
      North: inStudio('North'),
      South: inStudio('South'),
      East: inStudio('East'),
    });
    await after(() => shown.genres!.refine('Crime'));
    expect(shown.hits?.results?.nbHits).toBe(30);
    const north = FILMS.filter(({ studio }) => studio === 'North');
    await after(() => shown.studios!.refine('North'));
    expect(countsOf(shown.genres?.items)).toMatchObject({
      Comedy: genreCounts('Comedy', north),
      Western: genreCounts('Western', north),
    });
    await after(() => shown.studios!.refine('North'));
    await after(() => shown.genres!.refine('Drama'));
    await after(() => shown.genres!.refine('Crime'));
  });

  test('ranges of numbers and sorting', async () => {
    const [, , recent] = shown.years!.items;
    await after(() => shown.years!.refine(recent!.value));
    expect(shown.hits?.results?.nbHits).toBe(FILMS.filter(({ year }) => year >= 1970).length);
    await after(() => shown.order!.refine('films:year:desc'));
    expect(shown.hits?.items.map(({ id }) => id)).toEqual([59, 58, 57, 56, 55, 54, 53]);
    await after(() => shown.order!.refine('films'));
    await after(() => shown.years!.refine(shown.years!.items[0]!.value));
  });

  test('a box on a map', async () => {
    await after(() =>
      shown.map!.refine({ northEast: { lat: 50.1, lng: 0.014 * 9.5 }, southWest: { lat: 49.9, lng: 0.014 * 4.5 } }),
    );
    expect(shown.map?.items.map(({ id }) => id).sort()).toEqual([5, 6, 7, 8, 9]);
    await after(() => shown.map!.clearMapRefinement());
    expect(shown.hits?.results?.nbHits).toBe(60);
  });
});

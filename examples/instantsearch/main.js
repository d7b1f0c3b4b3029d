/** A search page of InstantSearch's widgets over the films. The server and a key for searching stand in the address: ?server=URL&key=KEY */
import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';
import instantsearch from 'instantsearch.js';
import {
  configure,
  hits,
  numericMenu,
  pagination,
  refinementList,
  searchBox,
  sortBy,
  stats,
} from 'instantsearch.js/es/widgets/index.js';

const address = new URLSearchParams(location.search);
const { searchClient } = instantMeiliSearch(
  address.get('server') ?? 'http://127.0.0.1:7700',
  address.get('key') ?? '',
  // pages to the end of what was found, with exact numbers
  { finitePagination: true },
);

const search = instantsearch({ indexName: 'movies', searchClient, future: { preserveSharedStateOnUnmount: true } });

search.addWidgets([
  configure({ hitsPerPage: 10, attributesToSnippet: ['overview:30'] }),
  searchBox({ container: '#box', placeholder: 'jurasic park', autofocus: true }),
  sortBy({
    container: '#order',
    items: [
      { value: 'movies', label: 'Best first' },
      { value: 'movies:year:desc', label: 'Newest first' },
      { value: 'movies:year:asc', label: 'Oldest first' },
    ],
  }),
  refinementList({ container: '#genres', attribute: 'genres', operator: 'or', limit: 12 }),
  numericMenu({
    container: '#years',
    attribute: 'year',
    items: [
      { label: 'All' },
      { label: 'Before 1950', end: 1949 },
      { label: '1950 to 1979', start: 1950, end: 1979 },
      { label: 'Since 1980', start: 1980 },
    ],
  }),
  stats({
    container: '#stats',
    templates: { text: ({ nbHits, processingTimeMS }) => `${nbHits} films in ${processingTimeMS} ms` },
  }),
  hits({
    container: '#hits',
    templates: {
      item: (hit, { html, components }) => html`
        <article>
          <h3>${components.Highlight({ hit, attribute: 'title' })} (${hit.year})</h3>
          <p>${components.Snippet({ hit, attribute: 'overview' })}</p>
        </article>
      `,
      empty: 'No film of that kind.',
    },
  }),
  pagination({ container: '#pages', padding: 2 }),
]);

search.start();

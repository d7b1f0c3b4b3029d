/** A search box with the bare client. The server and a key for searching stand in the address: ?server=URL&key=KEY */
import { Meilisearch } from 'meilisearch';

const address = new URLSearchParams(location.search);
const host = address.get('server') ?? 'http://127.0.0.1:7700';
const apiKey = address.get('key') ?? undefined;
/** Names this tab, so that a server that counts searches takes what is typed here for one search. */
const visitor = crypto.randomUUID?.() ?? String(Math.random());
const client = new Meilisearch({ host, apiKey, requestInit: { headers: { 'X-MS-USER-ID': visitor } } });
const films = client.index('movies');
/** The index of suggestions, if the address names one: ?suggestions=query_suggestions (docs/reference/analytics.md) */
const suggestions = address.get('suggestions');

const [query, genres, count, list, popular] = ['query', 'genres', 'count', 'hits', 'popular'].map((id) =>
  document.getElementById(id),
);
/** Marks of what matched: characters that no text has, so that texts are never read as HTML. */
const [START, END] = ['\u{E000}', '\u{E001}'];
const chosen = new Set();
let running = new AbortController();

async function show() {
  // what was asked for before is of no interest any more
  running.abort();
  running = new AbortController();
  const { signal } = running;
  try {
    const answer = await films.search(
      query.value,
      {
        limit: 12,
        filter: [...chosen].map((genre) => `genres = ${JSON.stringify(genre)}`),
        facets: ['genres'],
        attributesToRetrieve: ['title', 'year'],
        attributesToHighlight: ['title'],
        highlightPreTag: START,
        highlightPostTag: END,
      },
      { signal },
    );
    count.textContent = `${answer.estimatedTotalHits} films in ${answer.processingTimeMs} ms`;
    list.replaceChildren(...answer.hits.map(itemOf));
    showGenres(answer.facetDistribution?.genres ?? {});
    if (suggestions !== null) await showPopular(signal);
  } catch (error) {
    if (!signal.aborted) count.textContent = `The server at ${host} does not answer: ${error.message}`;
  }
}

function itemOf({ _formatted, year }) {
  const item = document.createElement('li');
  for (const part of _formatted.title.split(START)) {
    const [marked, rest] = part.includes(END) ? part.split(END) : ['', part];
    const mark = document.createElement('em');
    mark.textContent = marked;
    item.append(...(marked === '' ? [] : [mark]), rest);
  }
  item.append(` (${year})`);
  return item;
}

function showGenres(counts) {
  const names = [...new Set([...chosen, ...Object.keys(counts)])].slice(0, 10);
  genres.replaceChildren(
    ...names.map((name) => {
      const label = document.createElement('label');
      const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: chosen.has(name) });
      box.style.width = 'auto';
      box.addEventListener('change', () => {
        if (box.checked) chosen.add(name);
        else chosen.delete(name);
        void show();
      });
      label.append(box, ` ${name} (${counts[name] ?? 0})`);
      return label;
    }),
  );
}

/** Popular queries that continue what is typed, as the browser lists them under the input. */
async function showPopular(signal) {
  const asked = { limit: 6, filter: 'index = movies', attributesToRetrieve: ['query'] };
  const { hits } = await client.index(suggestions).search(query.value, asked, { signal });
  popular.replaceChildren(...hits.map((hit) => Object.assign(document.createElement('option'), { value: hit.query })));
}

query.addEventListener('input', show);
void show();

// A page that opens on films, indexes a dropped file, searches while one types, and shows why each hit is where it is.
import { openStatic } from 'fossick/web/search';
import { documentsOfCsv } from './csv.js';
import { isAddress, pictureOf, shortAddress } from './pictures.js';

const at = (id) => document.getElementById(id);
const [PRE, POST] = ['\u0001', '\u0002'];
/** Next to the page, where `npm run playground` wrote them: a static index, its settings and its documents. */
const FILMS = 'films';
/** Values of a facet that are shown. */
const SHOWN_VALUES = 8;
const SHOWN_SETTINGS = [
  'searchableAttributes',
  'filterableAttributes',
  'sortableAttributes',
  'rankingRules',
  'stopWords',
  'synonyms',
  'typoTolerance',
];

/** What indexes is loaded with the first file or change of settings: to search the films takes less than half as much. */
let engine;
let index;
/** The settings of the films while their static index is searched. */
let filmSettings = null;
/** Answers of earlier keystrokes are dropped. */
let asked = 0;
/** Files that were opened: films that come later than a file of the visitor's are not shown. */
let opened = 0;
/** The chosen values of each facet. */
let picked = {};

at('file').addEventListener('change', () => open(at('file').files[0]));
at('drop').addEventListener('dragover', (event) => event.preventDefault());
at('drop').addEventListener('drop', (event) => {
  event.preventDefault();
  open(event.dataTransfer.files[0]);
});
for (const id of ['query', 'filter']) at(id).addEventListener('input', search);
at('pictures').addEventListener('change', search);
at('apply').addEventListener('click', () => reported(applySettings));
at('export').addEventListener('click', () => reported(save));
at('share').addEventListener('click', () => reported(share));
// chosen while the engine was loaded
if (at('file').files.length > 0) open(at('file').files[0]);
else openFilms();

/** Shows an error in the line of state. */
async function reported(work) {
  try {
    await work();
  } catch (error) {
    at('status').textContent = error.message;
  }
}

async function open(file) {
  const number = ++opened;
  await reported(async () => {
    at('status').textContent = `Reading ${file.name} …`;
    picked = {};
    // other documents may name other servers
    at('pictures').checked = false;
    await fill(linesOf(file.name, await file.text()), null, number);
  });
}

/** The films that are next to the page, if they are, with the search of a link that was shared. */
async function openFilms() {
  try {
    const answer = await fetch(`${FILMS}/settings.json`);
    if (!answer.ok) return;
    const [settings, films] = await Promise.all([answer.json(), openStatic(`${FILMS}/manifest.json`)]);
    if (opened > 0) return;
    readLink();
    index = films;
    filmSettings = settings;
    at('status').textContent = 'Films to try the search on, until you open a file of your own.';
    at('settings').value = JSON.stringify(settings, null, 2);
    await showIndex();
  } catch (error) {
    if (opened === 0) at('status').textContent = error.message;
  }
}

/** Indexes the films here, with settings that may be others. */
async function indexFilms(settings) {
  const { body } = await fetch(`${FILMS}/films.ndjson.gz`);
  const text = await new Response(body.pipeThrough(new DecompressionStream('gzip'))).text();
  await fill(text, settings, opened);
}

async function fill(lines, settings, number) {
  engine ??= import('fossick/web').then(({ createEngine }) => createEngine());
  const filled = (await engine).index('playground');
  await filled.drop();
  if (settings !== null) await filled.updateSettings(settings);
  const startedMs = performance.now();
  const { indexed } = await filled.addNdjson(lines);
  if (number !== opened) return;
  index = filled;
  filmSettings = null;
  const ms = Math.round(performance.now() - startedMs);
  at('status').textContent = `${indexed.toLocaleString()} documents were indexed in ${ms.toLocaleString()} ms.`;
  await showSettings();
  await showIndex();
}

async function showIndex() {
  for (const id of ['searching', 'tuning']) at(id).hidden = false;
  await search();
}

/** Documents as lines of JSON: an array and CSV become such, other text is lines already. */
function linesOf(name, text) {
  if (/\.csv$/i.test(name)) return asLines(documentsOfCsv(text));
  return text.trimStart().startsWith('[') ? asLines(JSON.parse(text)) : text;
}

function asLines(documents) {
  return documents.map((one) => JSON.stringify(one)).join('\n');
}

/** A link has what was typed and picked, never documents. */
function linkOf() {
  const said = new URLSearchParams();
  for (const id of ['query', 'filter']) if (at(id).value !== '') said.set(id, at(id).value);
  for (const [name, values] of Object.entries(picked)) for (const value of values) said.append(`is.${name}`, value);
  const text = said.toString();
  return `${location.pathname}${location.search}${text === '' ? '' : `#${text}`}`;
}

function readLink() {
  picked = {};
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    if (name === 'query' || name === 'filter') at(name).value = value;
    const facet = name.startsWith('is.') ? name.slice(3) : null;
    if (facet !== null) picked[facet] = [...(picked[facet] ?? []), value];
  }
}

async function share() {
  const link = new URL(linkOf(), location.href).href;
  history.replaceState(null, '', link);
  await navigator.clipboard.writeText(link);
  at('status').textContent = 'The link is copied.';
}

async function showSettings() {
  const settings = await index.settings();
  const shown = Object.fromEntries(SHOWN_SETTINGS.map((name) => [name, settings[name]]));
  at('settings').value = JSON.stringify(shown, null, 2);
}

async function applySettings() {
  at('status').textContent = 'Applying the settings …';
  const settings = JSON.parse(at('settings').value);
  if (filmSettings === null) await index.updateSettings(settings);
  else await indexFilms(settings);
  at('status').textContent = 'The settings are applied.';
  await search();
}

async function search() {
  const number = ++asked;
  const written = at('filter').value.trim();
  const filter = [
    ...(written === '' ? [] : [written]),
    ...Object.entries(picked).map(([name, values]) => values.map((value) => `${quoted(name)} = ${quoted(value)}`)),
  ];
  try {
    const answer = await index.search(at('query').value, {
      limit: 20,
      showRankingScore: true,
      showRankingScoreDetails: true,
      attributesToHighlight: ['*'],
      highlightPreTag: PRE,
      highlightPostTag: POST,
      filter,
      facets: ['*'],
      facetOrder: 'count',
    });
    if (number !== asked) return;
    history.replaceState(null, '', linkOf());
    showFacets(answer.facetDistribution);
    at('found').textContent = `${answer.estimatedTotalHits.toLocaleString()} found in ${answer.processingTimeMs} ms`;
    at('withPictures').hidden = !answer.hits.some(pictureOf);
    at('hits').replaceChildren(...answer.hits.map(shownHit));
  } catch (error) {
    if (number === asked) at('found').textContent = error.message;
  }
}

/** Values as check boxes, the most frequent first; picked ones stay. */
function showFacets(distribution = {}) {
  const groups = Object.entries(distribution).map(([name, counts]) => {
    const chosen = picked[name] ?? [];
    const listed = Object.entries(counts)
      .sort(([, one], [, other]) => other - one)
      .filter(([value], place) => place < SHOWN_VALUES || chosen.includes(value));
    const missing = chosen.filter((value) => !listed.some(([each]) => each === value)).map((value) => [value, 0]);
    const boxes = [...listed, ...missing].map(([value, count]) => {
      const box = element('input');
      box.type = 'checkbox';
      box.checked = chosen.includes(value);
      box.addEventListener('change', () => {
        const next = box.checked ? [...chosen, value] : chosen.filter((each) => each !== value);
        picked = { ...picked, [name]: next };
        if (next.length === 0) delete picked[name];
        search();
      });
      return element('label', box, value, element('span', count.toLocaleString()));
    });
    return element('fieldset', element('legend', name), ...boxes);
  });
  at('facets').replaceChildren(...groups);
}

function quoted(text) {
  return JSON.stringify(String(text));
}

function shownHit({ _formatted, _rankingScore, _rankingScoreDetails, ...document }) {
  const texts = Object.entries(_formatted).filter(
    ([name, value]) => typeof value === 'string' && !isAddress(document[name]),
  );
  const picture = pictureOf(document);
  const item = element('li');
  texts.sort(([, a], [, b]) => Number(b.includes(PRE)) - Number(a.includes(PRE)));
  // numbers are texts here, too: none of them is a heading
  const isHeading = ([name, value]) => value.includes(PRE) || typeof document[name] === 'string';
  const first = texts.find(isHeading) ?? texts[0];
  const others = texts.filter((one) => one !== first);
  if (picture !== undefined && at('pictures').checked) item.append(shownPicture(picture));
  if (first !== undefined) item.append(element('strong', ...marked(first[1].slice(0, 300))));
  for (const [name, value] of others.slice(0, 3))
    item.append(element('div', `${name}: `, ...marked(value.slice(0, 300))));
  if (picture !== undefined && !at('pictures').checked)
    item.append(element('div', `${picture.name}: `, shownLink(picture)));
  const rows = Object.entries(_rankingScoreDetails).map(([rule, { order: _, ...details }]) =>
    element(
      'tr',
      element('th', rule),
      element(
        'td',
        Object.entries(details)
          .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
          .join(', '),
      ),
    ),
  );
  item.append(
    element('details', element('summary', `Why here: score ${_rankingScore.toFixed(4)}`), element('table', ...rows)),
  );
  item.append(element('details', element('summary', 'Document'), element('pre', JSON.stringify(document, null, 2))));
  return item;
}

/** It is fetched from a server that the document names: only who asked for pictures sees it. */
function shownPicture({ name, address }) {
  const picture = element('img');
  picture.alt = name;
  picture.loading = 'lazy';
  picture.referrerPolicy = 'no-referrer';
  picture.src = address;
  return picture;
}

function shownLink({ address }) {
  const link = element('a', shortAddress(address));
  link.href = address;
  link.rel = 'noopener noreferrer';
  link.target = '_blank';
  return link;
}

/** Text with its matches in `mark`; the text of a document is never markup. */
function marked(text) {
  return text.split(PRE).flatMap((piece, number) => {
    if (number === 0) return [piece];
    const [match, rest = ''] = piece.split(POST);
    return [element('mark', match), rest];
  });
}

async function save() {
  if (filmSettings !== null) await indexFilms(filmSettings);
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([await (await engine).export()]));
  link.download = 'index.fossick';
  link.click();
  URL.revokeObjectURL(link.href);
}

function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

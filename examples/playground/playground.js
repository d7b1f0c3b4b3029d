// A page that indexes a dropped file, searches it while one types, and shows why each hit is where it is.
import { createEngine } from 'fossick/web';

const at = (id) => document.getElementById(id);
const [PRE, POST] = ['\u0001', '\u0002'];
const SHOWN_SETTINGS = [
  'searchableAttributes',
  'filterableAttributes',
  'sortableAttributes',
  'rankingRules',
  'stopWords',
  'synonyms',
  'typoTolerance',
];

const engine = await createEngine();
let index;
/** Answers of earlier keystrokes are dropped. */
let asked = 0;

at('file').addEventListener('change', () => open(at('file').files[0]));
at('drop').addEventListener('dragover', (event) => event.preventDefault());
at('drop').addEventListener('drop', (event) => {
  event.preventDefault();
  open(event.dataTransfer.files[0]);
});
for (const id of ['query', 'filter']) at(id).addEventListener('input', search);
at('apply').addEventListener('click', () => reported(applySettings));
at('export').addEventListener('click', () => reported(save));
// chosen while the engine was loaded
if (at('file').files.length > 0) open(at('file').files[0]);

/** Shows an error in the line of state. */
async function reported(work) {
  try {
    await work();
  } catch (error) {
    at('status').textContent = error.message;
  }
}

async function open(file) {
  await reported(async () => {
    at('status').textContent = `Reading ${file.name} …`;
    const text = await file.text();
    const documents = linesOf(text);
    await engine.index('playground').drop();
    index = engine.index('playground');
    const startedMs = performance.now();
    const { indexed } = await index.addNdjson(documents);
    const ms = Math.round(performance.now() - startedMs);
    at('status').textContent = `${indexed.toLocaleString()} documents were indexed in ${ms.toLocaleString()} ms.`;
    for (const id of ['searching', 'tuning']) at(id).hidden = false;
    await showSettings();
    await search();
  });
}

/** An array of objects as lines; other text is lines already. */
function linesOf(text) {
  if (!text.trimStart().startsWith('[')) return text;
  return JSON.parse(text)
    .map((one) => JSON.stringify(one))
    .join('\n');
}

async function showSettings() {
  const settings = await index.settings();
  const shown = Object.fromEntries(SHOWN_SETTINGS.map((name) => [name, settings[name]]));
  at('settings').value = JSON.stringify(shown, null, 2);
}

async function applySettings() {
  at('status').textContent = 'Applying the settings …';
  await index.updateSettings(JSON.parse(at('settings').value));
  at('status').textContent = 'The settings are applied.';
  await search();
}

async function search() {
  const number = ++asked;
  const filter = at('filter').value.trim();
  try {
    const answer = await index.search(at('query').value, {
      limit: 20,
      showRankingScore: true,
      showRankingScoreDetails: true,
      attributesToHighlight: ['*'],
      highlightPreTag: PRE,
      highlightPostTag: POST,
      ...(filter === '' ? {} : { filter }),
    });
    if (number !== asked) return;
    at('found').textContent = `${answer.estimatedTotalHits.toLocaleString()} found in ${answer.processingTimeMs} ms`;
    at('hits').replaceChildren(...answer.hits.map(shownHit));
  } catch (error) {
    if (number === asked) at('found').textContent = error.message;
  }
}

function shownHit({ _formatted, _rankingScore, _rankingScoreDetails, ...document }) {
  const texts = Object.entries(_formatted).filter(([, value]) => typeof value === 'string');
  const item = element('li');
  const [first, ...others] = texts.sort(([, a], [, b]) => Number(b.includes(PRE)) - Number(a.includes(PRE)));
  if (first !== undefined) item.append(element('strong', ...marked(first[1].slice(0, 300))));
  for (const [name, value] of others.slice(0, 3))
    item.append(element('div', `${name}: `, ...marked(value.slice(0, 300))));
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

/** Text with its matches in `mark`; the text of a document is never markup. */
function marked(text) {
  return text.split(PRE).flatMap((piece, number) => {
    if (number === 0) return [piece];
    const [match, rest = ''] = piece.split(POST);
    return [element('mark', match), rest];
  });
}

async function save() {
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([await engine.export()]));
  link.download = 'index.fossick';
  link.click();
  URL.revokeObjectURL(link.href);
}

function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

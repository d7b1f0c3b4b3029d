// The search box of every page: a static index of the sections of all pages, read without a server.
const at = (id) => document.getElementById(id);
const root = new URL(document.documentElement.dataset.root, document.baseURI);
const [PRE, POST] = ['\u0001', '\u0002'];
const OPTIONS = {
  limit: 8,
  attributesToRetrieve: ['page', 'heading', 'address'],
  attributesToHighlight: ['heading', 'text'],
  attributesToCrop: ['text'],
  cropLength: 24,
  highlightPreTag: PRE,
  highlightPostTag: POST,
};

let opening;
/** Answers of earlier keystrokes are dropped. */
let asked = 0;

at('query').addEventListener('focus', open);
at('query').addEventListener('input', search);
at('searching').addEventListener('submit', (event) => {
  event.preventDefault();
  at('hits').querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') show([]);
  const isWriting = /^(input|textarea)$/i.test(document.activeElement?.tagName ?? '');
  if (event.key !== '/' || isWriting) return;
  event.preventDefault();
  at('query').focus();
});

// the list of pages on a phone
at('menu').addEventListener('click', () => {
  const isOpen = at('pages').classList.toggle('is-open');
  at('menu').setAttribute('aria-expanded', String(isOpen));
});

/** The library and the index are fetched when a reader turns to the search box, and kept by the browser. */
function open() {
  opening ??= import(new URL('playground/fossick/search.js', root).href)
    .then(({ openStatic }) => openStatic(new URL('search/manifest.json', root)))
    .catch((error) => {
      opening = undefined;
      throw error;
    });
  return opening;
}

async function search() {
  const number = ++asked;
  const q = at('query').value.trim();
  if (q === '') return show([]);
  try {
    const { hits, estimatedTotalHits } = await (await open()).search(q, OPTIONS);
    if (number !== asked) return;
    show(hits);
    at('found').textContent = `${estimatedTotalHits} sections found`;
  } catch (error) {
    if (number === asked) show([], error.message);
  }
}

function show(hits, text = '') {
  at('found').textContent = text;
  at('hits').hidden = hits.length === 0;
  at('hits').replaceChildren(...hits.map(shownHit));
}

function shownHit({ page, address, _formatted: { heading, text } }) {
  const link = document.createElement('a');
  link.href = new URL(address, root).href;
  const title = document.createElement('strong');
  title.append(...marked(heading));
  const where = document.createElement('small');
  where.textContent = page;
  const excerpt = document.createElement('span');
  excerpt.append(...marked(text));
  link.append(title, where, excerpt);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

/** A text with marked parts as nodes; nothing of it is taken for markup. */
function marked(text) {
  return text.split(PRE).flatMap((part, number) => {
    if (number === 0) return [part];
    const [inside, after] = part.split(POST);
    const mark = document.createElement('mark');
    mark.textContent = inside;
    return [mark, after];
  });
}

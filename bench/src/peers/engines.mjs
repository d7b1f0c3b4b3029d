/**
 * The compared engines with one interface: `add(documents)`, then `search(q)`, which returns at most 20 ids. Each is
 * configured as its own documentation says for full text of two fields, with typos if it supports them. The title has
 * more weight than the text where that can be configured.
 */
import { EmbeddedIndex } from '../fossick.mjs';

const LIMIT = 20;
const FIELDS = ['title', 'overview'];

export const ENGINES = {
  fossick: openFossick,
  minisearch: openMinisearch,
  orama: openOrama,
  flexsearch: openFlexsearch,
  'sqlite fts5': openSqlite,
};
/** Engines with typo tolerance. */
export const TYPO_TOLERANT = new Set(['fossick', 'minisearch', 'orama']);

async function openFossick() {
  const index = new EmbeddedIndex();
  await index.create({ searchableAttributes: FIELDS });
  return {
    add: (documents) => index.addDocuments(documents),
    search: (q) => index.search({ q, limit: LIMIT }).hits.map((hit) => hit.id),
    async reopen() {
      await index.close();
      index.open();
    },
    async close() {
      await index.close();
      index.remove();
    },
  };
}

async function openMinisearch() {
  const { default: MiniSearch } = await import('minisearch');
  const searchOptions = { boost: { title: 2 }, prefix: true, fuzzy: 0.2 };
  const index = new MiniSearch({ fields: FIELDS, storeFields: FIELDS, searchOptions });
  return {
    add: (documents) => index.addAll(documents),
    search: (q) =>
      index
        .search(q)
        .slice(0, LIMIT)
        .map((hit) => hit.id),
    close: () => undefined,
  };
}

async function openOrama() {
  const { create, insertMultiple, search } = await import('@orama/orama');
  const index = create({ schema: { title: 'string', overview: 'string' } });
  return {
    add: (documents) => insertMultiple(index, documents.map(textsOf), 1000),
    async search(q) {
      const { hits } = await search(index, { term: q, limit: LIMIT, tolerance: 1, boost: { title: 2 } });
      return hits.map((hit) => Number(hit.id));
    },
    close: () => undefined,
  };
}

async function openFlexsearch() {
  const { Document } = await import('flexsearch');
  const index = new Document({
    document: { id: 'id', index: FIELDS, store: true },
    tokenize: 'forward',
    context: true,
  });
  return {
    add: (documents) => {
      for (const document of documents) index.add({ ...textsOf(document), id: document.id });
    },
    search: (q) => [...new Set(index.search(q, { limit: LIMIT }).flatMap(({ result }) => result))].slice(0, LIMIT),
    close: () => undefined,
  };
}

/** Undefined where the driver is not built: it is native code, compiled on request only (bench/README.md). */
async function openSqlite() {
  const database = await import('better-sqlite3')
    .then(
      ({ default: Database }) => new Database(':memory:'),
      () => undefined,
    )
    .catch(rethrowUnlessUnbuilt);
  if (database === undefined) return undefined;
  database.exec(
    "CREATE VIRTUAL TABLE films USING fts5(title, overview, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')",
  );
  const insert = database.prepare('INSERT INTO films (rowid, title, overview) VALUES (?, ?, ?)');
  const match = database.prepare('SELECT rowid FROM films WHERE films MATCH ? ORDER BY bm25(films, 2.0, 1.0) LIMIT ?');
  return {
    add: database.transaction((documents) => {
      for (const { id, title, overview } of documents) insert.run(id, title, overview ?? '');
    }),
    search(q) {
      const terms = q.split(' ').map((word) => `"${word}"`);
      return match.all(`${terms.join(' ')}*`, LIMIT).map((row) => row.rowid);
    },
    close: () => database.close(),
  };
}

/** The package is installed without its native part: the install could not build it. */
function rethrowUnlessUnbuilt(error) {
  if (!String(error).includes('bindings')) throw error;
}

/** Engines with a schema take text only; ids as text where they require it. */
function textsOf({ id, title, overview }) {
  return { id: String(id), title, overview: overview ?? '' };
}

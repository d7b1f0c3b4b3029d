/**
 * The compared engines in a page, with one interface: `open(documents)` returns `search(q)`, which resolves to at most 10 ids. A
 * bundle is made for each. Settings are those that the documentation of each recommends for two fields with typos, where it
 * has them.
 */
const LIMIT = 10;
const FIELDS = ['title', 'overview'];
const idsOf = (hits) => hits.slice(0, LIMIT).map(({ id }) => id);

export const ENGINES = {
  async 'fossick in memory'(documents) {
    const { createEngine } = await import('fossick/web');
    const engine = await createEngine({ kernel: '/fossick/kernel.wasm' });
    const index = engine.index('films');
    await index.updateSettings({ searchableAttributes: FIELDS });
    await index.add(documents);
    return async (q) => idsOf((await index.search(q, { limit: LIMIT })).hits);
  },
  async minisearch(documents) {
    const { default: MiniSearch } = await import('minisearch');
    const searchOptions = { boost: { title: 2 }, prefix: true, fuzzy: 0.2 };
    const index = new MiniSearch({ fields: FIELDS, storeFields: FIELDS, searchOptions });
    index.addAll(documents);
    return (q) => idsOf(index.search(q));
  },
  async 'fuse.js'(documents) {
    const { default: Fuse } = await import('fuse.js');
    const keys = [
      { name: 'title', weight: 2 },
      { name: 'overview', weight: 1 },
    ];
    const index = new Fuse(documents, { keys, ignoreLocation: true, threshold: 0.3 });
    return (q) => idsOf(index.search(q, { limit: LIMIT }).map(({ item }) => item));
  },
  async lunr(documents) {
    const { default: lunr } = await import('lunr');
    const index = lunr(function build() {
      this.ref('id');
      this.field('title', { boost: 2 });
      this.field('overview');
      for (const document of documents) this.add(document);
    });
    // its documentation: a word with an edit distance of one; not by its language, in which titles may be errors
    return (q) => {
      const found = index.query((query) => {
        for (const token of lunr.tokenizer(q)) {
          const word = token.toString();
          query.term(word);
          if (word.length > 3) query.term(word, { editDistance: 1 });
        }
      });
      return found.slice(0, LIMIT).map(({ ref }) => Number(ref));
    };
  },
  async flexsearch(documents) {
    const { Document } = await import('flexsearch');
    const index = new Document({
      document: { id: 'id', index: FIELDS.map((field) => ({ field, tokenize: 'forward' })) },
    });
    for (const document of documents) index.add(document);
    return (q) =>
      [...new Set(index.search(q, { limit: LIMIT, suggest: true }).flatMap(({ result }) => result))].slice(0, LIMIT);
  },
  async orama(documents) {
    const { create, insertMultiple, search } = await import('@orama/orama');
    const index = create({ schema: { title: 'string', overview: 'string' } });
    await insertMultiple(
      index,
      documents.map(({ id, title, overview }) => ({ id: String(id), title, overview })),
      1000,
    );
    return async (q) => {
      const { hits } = await search(index, { term: q, limit: LIMIT, tolerance: 1, boost: { title: 2 } });
      return hits.map(({ id }) => Number(id));
    };
  },
};

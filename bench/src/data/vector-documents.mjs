/** Documents with vectors, and the filters of searches among them. */

/** The share of the documents that a filter matches, and which ones. */
export const VECTOR_SCOPES = {
  plain: { filter: null, isIn: () => true },
  half: { filter: 'half = 0', isIn: (id) => id % 2 === 0 },
  percent: { filter: 'percent = 0', isIn: (id) => id % 100 === 0 },
  few: { filter: 'few = 0', isIn: (id) => id % 10_000 === 0 },
};

/** The document `id` with its vector; its fields say which filters match it. */
export function vectorDocument(id, embedder, vector) {
  return { id, half: id % 2, percent: id % 100, few: id % 10_000, _vectors: { [embedder]: [...vector] } };
}

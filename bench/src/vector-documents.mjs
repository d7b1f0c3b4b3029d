/** Documents with vectors, and the scopes that searches among them are narrowed to. */

/** Which share of the documents a filter keeps, and who is kept. */
export const VECTOR_SCOPES = {
  plain: { filter: null, isIn: () => true },
  half: { filter: 'half = 0', isIn: (id) => id % 2 === 0 },
  percent: { filter: 'percent = 0', isIn: (id) => id % 100 === 0 },
  few: { filter: 'few = 0', isIn: (id) => id % 10_000 === 0 },
};

/** The document `id` with its vector, whose fields tell which scopes it is in. */
export function vectorDocument(id, embedder, vector) {
  return { id, half: id % 2, percent: id % 100, few: id % 10_000, _vectors: { [embedder]: [...vector] } };
}

/** Vectors with a seed, and who is nearest to whom, the slow and sure way. */
import { createRandom } from './document-generator.mjs';

/** Documents for each centre. */
const PER_CENTRE = 50;
/** How far documents lie around their centre, beside the centre's own length of about 1. */
const SPREAD = 0.35;

/** `count` vectors of documents and `queryCount` of queries, around the same centres. */
export function drawVectors({ count, queryCount, dimCount, seed }) {
  const random = createRandom(seed);
  const centres = Array.from({ length: Math.max(1, Math.round(count / PER_CENTRE)) }, () =>
    Float32Array.from({ length: dimCount }, () => drawNormal(random) / Math.sqrt(dimCount)),
  );
  const around = () => {
    const centre = centres[Math.floor(random() * centres.length)];
    return centre.map((value) => value + (drawNormal(random) * SPREAD) / Math.sqrt(dimCount));
  };
  return {
    vectors: Array.from({ length: count }, around),
    queries: Array.from({ length: queryCount }, around),
  };
}

/** Places of the `limit` vectors of the least angle to the query, nearest first. O(vectors * dimensions). */
export function nearestOf(query, vectors, limit) {
  const cosines = vectors.map((vector) => cosineOf(query, vector));
  return [...cosines.keys()].sort((a, b) => cosines[b] - cosines[a] || a - b).slice(0, limit);
}

function cosineOf(a, b) {
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (let dim = 0; dim < a.length; dim++) {
    product += a[dim] * b[dim];
    squaresA += a[dim] * a[dim];
    squaresB += b[dim] * b[dim];
  }
  return product / Math.sqrt(squaresA * squaresB);
}

/** Box and Muller's way from two even draws to a normal one. */
function drawNormal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

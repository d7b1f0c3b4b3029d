/** Seeded vectors and their exact nearest neighbours, computed by brute force. */
import { createRandom } from './data/document-generator.mjs';

/** Documents for each centre. */
const PER_CENTRE = 50;
/** How far documents lie around their centre, in addition to the centre's own length of about 1. */
const SPREAD = 0.35;

/**
 * `count` vectors of documents and `queryCount` of queries, around the same centres. `seed` selects them; `centreSeed`
 * selects the centres.
 */
export function drawVectors({ count, queryCount, dimCount, seed, centreSeed = seed, centreCount }) {
  const centres = drawCentres(centreCount ?? Math.max(1, Math.round(count / PER_CENTRE)), dimCount, centreSeed);
  const random = createRandom(seed + 1);
  const around = () => {
    const centre = centres[Math.floor(random() * centres.length)];
    return centre.map((value) => value + (drawNormal(random) * SPREAD) / Math.sqrt(dimCount));
  };
  return {
    vectors: Array.from({ length: count }, around),
    queries: Array.from({ length: queryCount }, around),
    centreCount: centres.length,
  };
}

function drawCentres(count, dimCount, seed) {
  const random = createRandom(seed);
  const scale = Math.sqrt(dimCount);
  return Array.from({ length: count }, () => Float32Array.from({ length: dimCount }, () => drawNormal(random) / scale));
}

/** All distances of one query, in double precision, for any number of filters. */
export class Truth {
  #lengths;

  /** `vectors`: by id, a hole where there is no document. */
  constructor(vectors) {
    this.vectors = vectors;
    this.#lengths = vectors.map((vector) => Math.sqrt(productOf(vector, vector)));
  }

  /** For each of the scopes (a function of an id) the ids of its `limit` vectors of the least angle to the query. O(vectors * dimensions). */
  nearest(query, limit, scopes) {
    const cosines = new Float64Array(this.vectors.length).fill(Number.NaN);
    this.vectors.forEach((vector, id) => {
      cosines[id] = productOf(query, vector) / this.#lengths[id];
    });
    return scopes.map((isIn) => {
      const best = [];
      for (let id = 0; id < cosines.length; id++) {
        const cosine = cosines[id];
        if (Number.isNaN(cosine) || (best.length === limit && cosine <= best[limit - 1].cosine) || !isIn(id)) continue;
        let at = best.length;
        while (at > 0 && best[at - 1].cosine < cosine) at--;
        best.splice(at, 0, { id, cosine });
        if (best.length > limit) best.pop();
      }
      return best.map(({ id }) => id);
    });
  }
}

/** The share of the true nearest neighbours that were found. */
export function recallOf(foundIds, nearestIds) {
  const found = new Set(foundIds);
  return nearestIds.length === 0 ? 1 : nearestIds.filter((id) => found.has(id)).length / nearestIds.length;
}

function productOf(a, b) {
  let product = 0;
  for (let dim = 0; dim < a.length; dim++) product += a[dim] * b[dim];
  return product;
}

/** The Box-Muller method: a normally distributed number from two uniform ones. */
function drawNormal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

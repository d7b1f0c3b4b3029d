/** Differences between two answers to the same request. */

/** Members that servers need not agree on: times, request numbers, and the texts (not the codes) of errors. */
const OWN = new Set(['processingTimeMs', 'requestUid', 'message', 'link']);
/** Scores are sums of fractions: the last digits depend on the order of adding. */
const SCORE_TOLERANCE = 1e-6;

/**
 * Differences as `{ path, left, right }`, at most 20; empty when the answers agree. Members of objects may come in any
 * order, except counts of facets, whose order matters.
 */
export function findDifferences(left, right) {
  const found = [];
  compare(left, right, '', found);
  return found.slice(0, 20);
}

function compare(left, right, path, found) {
  if (typeof left === 'number' && typeof right === 'number' && isClose(left, right, path)) return;
  if (left === right) return;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    found.push({ path, left, right });
    return;
  }
  if (Array.isArray(left) !== Array.isArray(right)) {
    found.push({ path, left, right });
    return;
  }
  if (/facetDistribution\.[^.]+$/.test(path) && JSON.stringify(left) !== JSON.stringify(right)) {
    found.push({ path, left: JSON.stringify(left), right: JSON.stringify(right) });
    return;
  }
  if (/hits$/.test(path) && idsOf(left) !== idsOf(right)) {
    found.push({ path, left: idsOf(left), right: idsOf(right) });
    return;
  }
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  for (const name of names)
    if (!OWN.has(name)) compare(left[name], right[name], path === '' ? name : `${path}.${name}`, found);
}

function isClose(left, right, path) {
  return /score/i.test(path) && Math.abs(left - right) < SCORE_TOLERANCE;
}

/** A list of hits in short: if their ids differ, the rest would only repeat it. */
function idsOf(hits) {
  return hits.map((hit) => hit?.id ?? JSON.stringify(hit)).join(' ');
}

/**
 * The kind of a difference, for counting: the path without indexes of lists, and the request's parts that may be the
 * cause.
 */
export function kindOf(difference) {
  return difference.path.replace(/\.\d+(?=\.|$)/g, '.N').replace(/_rankingScoreDetails\..*/, '_rankingScoreDetails');
}

/**
 * Known differences between servers of the API: the parts of an answer that are compared. Each function says what it
 * leaves out and why; everything else must be equal.
 */

/**
 * The compared part of an answer. `settings` are the index's as far as the round has set them, `isOneBatch` says that
 * all its documents came in one request, and its settings in one.
 */
export function comparedPart(request, answer, { settings, isOneBatch }) {
  if (answer.status >= 400) return { status: answer.status, body: { code: refusalOf(request, answer.body?.code) } };
  const body = structuredClone(answer.body);
  if (request.body?.rankingScoreThreshold !== undefined) dropCounts(body);
  if ((settings.stopWords ?? []).length > 0) for (const hit of body.hits ?? []) dropMarks(hit);
  if (body.facetDistribution !== undefined) dropTies(body.facetDistribution, settings.faceting ?? {}, isOneBatch);
  return { status: answer.status, body };
}

/** An invalid filter of a listing may be refused with its own code, or with that of any filter. */
function refusalOf({ path }, code) {
  return path?.includes('/documents') && code === 'invalid_search_filter' ? 'invalid_document_filter' : code;
}

/** Counts with a threshold depend on how far a server ranks. */
function dropCounts(body) {
  for (const name of ['estimatedTotalHits', 'totalHits', 'totalPages', 'facetDistribution', 'facetStats']) {
    delete body[name];
  }
}

/** Stop words of the query may be highlighted like other words or not. */
function dropMarks(hit) {
  delete hit._formatted;
  delete hit._matchesPosition;
}

/**
 * Values with equal counts come in any order. Where the limit cuts among them and several batches filled the index,
 * which of them are shown may also differ: it depends on the sizes and the order of the batches.
 */
function dropTies(distribution, { maxValuesPerFacet = 100, sortFacetValuesBy = {} }, isOneBatch) {
  for (const [field, counts] of Object.entries(distribution)) {
    if ((sortFacetValuesBy[field] ?? sortFacetValuesBy['*']) !== 'count') continue;
    const entries = Object.entries(counts).sort(([left], [right]) => (left < right ? -1 : 1));
    const isCut = !isOneBatch && entries.length >= maxValuesPerFacet;
    distribution[field] = Object.fromEntries(entries);
    if (!isCut) continue;
    // numbers and strings are cut separately: either may end in a tie
    const least = Math.min(...entries.map(([, count]) => count));
    distribution[field] = { ...Object.fromEntries(entries.filter(([, count]) => count > least)), least };
  }
}

/** Requests that read an index, chosen at random. */
import { FACET_FIELDS, TEXT_FIELDS } from './documents.mjs';
import { makeFilter } from './filters.mjs';
import { withTypo } from './vocabulary.mjs';

/** One request `{ method, path, body }` to the index `uid` of these words, whose `facets` may be counted. */
export function makeQuery(random, { words, uid, facets }) {
  const kind = random.fraction();
  if (kind < 0.05) return facetSearch(random, words, uid);
  if (kind < 0.09) return fetchDocuments(random, words, uid);
  if (kind < 0.13) return federation(random, words, uid);
  return { method: 'POST', path: `/indexes/${uid}/search`, body: searchBody(random, words, facets) };
}

const SORTS = [...FACET_FIELDS, 'title'];
/**
 * Fields with at most one value: in a sorted listing servers may lose documents with empty ones, and repeat those with
 * several.
 */
const LIST_SORTS = ['year', 'price', 'code', 'colour', 'title'];

const PARTS = {
  filter: (random, words) => makeFilter(random, words),
  sort: (random) => Array.from({ length: random.between(1, 2) }, () => sortEntry(random)),
  facets: (random, _, facets) => (random.chance(0.4) ? ['*'] : random.some(facets, random.between(1, 4))),
  matchingStrategy: (random) => random.pick(['all', 'frequency', 'last']),
  attributesToSearchOn: (random) => random.some([...TEXT_FIELDS, 'tags'], random.between(1, 3)),
  distinct: (random) => random.pick(['colour', 'tags', 'year', 'maker.country']),
  showRankingScore: () => true,
  showRankingScoreDetails: () => true,
  showMatchesPosition: () => true,
  attributesToHighlight: (random) => (random.chance(0.5) ? ['*'] : random.some(TEXT_FIELDS, 2)),
  attributesToCrop: (random) => [random.pick(['*', 'overview', 'body:5', 'overview:12'])],
  cropLength: (random) => random.between(0, 15),
  attributesToRetrieve: (random) => ['id', ...random.some(['title', 'overview', 'maker.name', 'tags', '_geo'], 2)],
};

const SHARES = {
  filter: 0.3,
  sort: 0.2,
  facets: 0.35,
  matchingStrategy: 0.35,
  attributesToSearchOn: 0.12,
  distinct: 0.06,
  showRankingScore: 0.5,
  showRankingScoreDetails: 0.4,
  showMatchesPosition: 0.15,
  attributesToHighlight: 0.25,
  attributesToCrop: 0.15,
  cropLength: 0.1,
  attributesToRetrieve: 0.3,
};

function searchBody(random, words, facets) {
  const body = random.chance(0.08) ? {} : { q: queryText(random, words) };
  for (const name of random.keys(SHARES)) body[name] = PARTS[name](random, words, facets);
  if (random.chance(0.15)) return { ...body, page: random.between(1, 3), hitsPerPage: random.between(0, 15) };
  if (random.chance(0.6)) body.limit = random.pick([0, 1, 3, 10, 50, 1000]);
  if (random.chance(0.1)) body.offset = random.below(15);
  return body;
}

function sortEntry(random, fields = SORTS) {
  const order = random.pick(['asc', 'desc']);
  if (random.chance(0.8)) return `${random.pick(fields)}:${order}`;
  return `_geoPoint(${random.between(-80, 80)}, ${random.between(-170, 170)}):${order}`;
}

/** A query as a user may type it: words of the documents, complete, begun, misspelt, joined, split, quoted, negated. */
export function queryText(random, words) {
  const parts = Array.from({ length: random.pick([1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7]) }, () => queryPart(random, words));
  let text = parts[0];
  for (const part of parts.slice(1)) text += (random.chance(0.93) ? ' ' : random.pick([', ', '-', '. ', '  '])) + part;
  if (random.chance(0.4)) text = text.slice(0, Math.max(1, text.length - random.below(4)));
  return random.chance(0.07) ? `${text} ` : text;
}

function queryPart(random, words) {
  const word = random.pickEarly(words);
  const kind = random.fraction();
  if (kind < 0.66) return word;
  if (kind < 0.78) return withTypo(random, word);
  if (kind < 0.8) return withTypo(random, withTypo(random, word));
  if (kind < 0.86) return word + random.pickEarly(words);
  if (kind < 0.89 && word.length > 3) return `${word.slice(0, 2)} ${word.slice(2)}`;
  if (kind < 0.95)
    return `"${word} ${random.pickEarly(words)}${random.chance(0.3) ? ` ${random.pickEarly(words)}` : ''}"`;
  if (kind < 0.98) return `-${word}`;
  return word.toUpperCase();
}

function facetSearch(random, words, uid) {
  const body = { facetName: random.pick(['colour', 'tags', 'maker.country', 'code', 'mixed']) };
  if (random.chance(0.7)) body.facetQuery = random.pick([random.pick(words).slice(0, 3), 'fr', 'b', 'c1', '', 'gru']);
  if (random.chance(0.4)) body.q = queryText(random, words);
  if (random.chance(0.3)) body.filter = makeFilter(random, words);
  return { method: 'POST', path: `/indexes/${uid}/facet-search`, body };
}

function fetchDocuments(random, words, uid) {
  const body = { limit: random.pick([3, 20, 1000]), offset: random.below(5) };
  if (random.chance(0.6)) body.filter = makeFilter(random, words);
  if (random.chance(0.4)) body.sort = [sortEntry(random, LIST_SORTS)];
  return { method: 'POST', path: `/indexes/${uid}/documents/fetch`, body };
}

function federation(random, words, uid) {
  const queries = Array.from({ length: random.between(1, 3) }, () => {
    const query = { indexUid: uid, q: queryText(random, words) };
    if (random.chance(0.3)) query.filter = makeFilter(random, words);
    if (random.chance(0.3)) query.federationOptions = { weight: random.pick([0.5, 1, 2]) };
    if (random.chance(0.3)) query.showRankingScore = true;
    return query;
  });
  return {
    method: 'POST',
    path: '/multi-search',
    body: { federation: { limit: random.pick([5, 20, 100]), offset: random.below(4) }, queries },
  };
}

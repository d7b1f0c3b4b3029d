/** Settings of an index, chosen at random: each only in a share of the rounds, so that a difference has few causes. */
import { FACET_FIELDS, TEXT_FIELDS } from './documents.mjs';
import { makeText } from './vocabulary.mjs';

const RULES = ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'];
/** Long enough that a search is never cut off, even on a busy machine (milliseconds). */
const CUTOFF_MS = 600_000;

/**
 * Each matches a nested attribute only together with its parent: for a child alone servers may find no values (`*e` and
 * `maker.name`).
 */
const PATTERNS = ['*', 'ma*', '*ag*', '*r*'];

const SHARES = {
  searchableAttributes: 0.5,
  rankingRules: 0.4,
  stopWords: 0.25,
  synonyms: 0.35,
  distinctAttribute: 0.15,
  typoTolerance: 0.4,
  proximityPrecision: 0.25,
  prefixSearch: 0.15,
  faceting: 0.7,
  separatorTokens: 0.1,
  nonSeparatorTokens: 0.1,
  dictionary: 0.1,
  displayedAttributes: 0.1,
  facetSearch: 0.05,
};

/** Initial settings of every round, so that its queries may filter and sort. */
export function makeSettings(random, words) {
  return {
    filterableAttributes: makeFilterable(random),
    sortableAttributes: [...random.some(FACET_FIELDS, 6), 'title', '_geo'],
    searchCutoffMs: CUTOFF_MS,
    ...makeChanges(random, words),
  };
}

/** A change of some settings. */
export function makeChanges(random, words) {
  return Object.fromEntries(random.keys(SHARES).map((name) => [name, MAKERS[name](random, words)]));
}

/** The fields that queries may count with these settings. */
export function facetsOf({ filterableAttributes }) {
  return FACET_FIELDS.filter((field) => filterableAttributes.includes(field));
}

function makeFilterable(random) {
  if (random.chance(0.8)) return [...FACET_FIELDS, 'maker', '_geo', 'title'];
  const pattern = random.pick(PATTERNS);
  const features = { facetSearch: true, filter: { equality: true, comparison: random.chance(0.7) } };
  return ['colour', 'tags', '_geo', { attributePatterns: [pattern, 'price'], features }];
}

const MAKERS = {
  searchableAttributes: (random) => random.some([...TEXT_FIELDS, 'tags', 'colour', 'maker'], random.between(1, 6)),
  rankingRules: makeRules,
  stopWords: (random, words) => random.some(words.slice(0, 20), random.between(1, 4)),
  synonyms: makeSynonyms,
  distinctAttribute: (random) => random.pick(['colour', 'tags', 'year', 'maker.country', 'mixed', null]),
  typoTolerance: makeTypoTolerance,
  proximityPrecision: (random) => random.pick(['byAttribute', 'byWord']),
  prefixSearch: (random) => random.pick(['disabled', 'indexingTime']),
  faceting: (random) => ({
    maxValuesPerFacet: random.pick([1, 2, 3, 5, 8, 20, 100]),
    sortFacetValuesBy: { '*': random.pick(['count', 'alpha']), tags: random.pick(['count', 'alpha']) },
  }),
  separatorTokens: (random) => random.some(['&', 'ing', '|', 'x'], random.below(3)),
  nonSeparatorTokens: (random) => random.some(['-', '_', "'", '&', '/'], random.between(1, 3)),
  dictionary: (random, words) => [random.pick(words) + random.pick(["'", '-', ' ', '']) + random.pick(words)],
  displayedAttributes: (random) => [
    'id',
    ...random.some(['title', 'overview', 'maker', 'tags', '_geo'], random.below(5)),
  ],
  facetSearch: (random) => random.chance(0.5),
};

function makeRules(random) {
  const rules = random.chance(0.5) ? random.shuffled(RULES) : random.some(RULES, random.between(1, RULES.length));
  if (random.chance(0.4)) {
    rules.splice(random.below(rules.length + 1), 0, `${random.pick(FACET_FIELDS)}:${random.pick(['asc', 'desc'])}`);
  }
  if (random.chance(0.8)) return rules;
  const parts = ['attributeRank', 'wordPosition'];
  return ['attribute', ...rules.filter((rule) => !parts.includes(rule))];
}

function makeSynonyms(random, words) {
  const phrase = () => makeText(random, words.slice(0, 50), random.pick([1, 1, 1, 2, 2, 3]));
  const entries = Array.from({ length: random.between(1, 5) }, () => [
    phrase(),
    Array.from({ length: random.between(1, 3) }, phrase),
  ]);
  return Object.fromEntries(entries);
}

function makeTypoTolerance(random, words) {
  const [oneTypo, twoTypos] = [random.between(1, 6), random.between(6, 10)];
  const all = {
    enabled: random.chance(0.8),
    minWordSizeForTypos: { oneTypo, twoTypos },
    disableOnWords: random.some(words, 5),
    disableOnAttributes: random.some(TEXT_FIELDS, random.between(1, 2)),
    disableOnNumbers: random.chance(0.7),
  };
  const chosen = random.keys({
    enabled: 0.2,
    minWordSizeForTypos: 0.6,
    disableOnWords: 0.4,
    disableOnAttributes: 0.4,
    disableOnNumbers: 0.3,
  });
  return Object.fromEntries(chosen.map((name) => [name, all[name]]));
}

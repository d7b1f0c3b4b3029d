/** Parameters about counts, groups and computed values of an answer, and about how it came about. */
import { MAX_AGGREGATIONS, MAX_GROUP_HITS } from '@fossick/base';
import {
  allowing,
  anyObject,
  choice,
  completing,
  described,
  flag,
  type Kind,
  kindOf,
  listOf,
  mapOf,
  mapped,
  objectOf,
  optional,
  type Parser,
  parsers,
  positive,
  required,
  shown,
  text,
  wrongValue,
} from '@fossick/base/contract';

const GROUP = 'invalid_search_group';
const parseGroupLimit: Parser<number> = (value, where) => {
  const limit = parsers.positiveInteger(value, where);
  if (limit > MAX_GROUP_HITS) throw wrongValue(where, `a group has up to ${MAX_GROUP_HITS} hits.`);
  return limit;
};
const GROUP_MEMBERS = {
  by: required(GROUP, text('Attribute whose values are the groups.', 'author'), GROUP),
  limit: optional(
    GROUP,
    shown({ ...positive('Hits of a group.'), parse: parseGroupLimit }, { maximum: MAX_GROUP_HITS }),
    3,
  ),
};
/** The kind with the JSON text of a query string checked as a body is. */
const inJson = <T>(kind: Kind<T>): Kind<T> => ({
  ...kind,
  inQuery: (value, where) => kind.parse(anyObject('').inQuery(value, where), where),
});
const group = inJson(
  mapped(
    objectOf(GROUP_MEMBERS, { id: 'Group', says: 'The best hits of each value of an attribute, in place of `hits`.' }),
    completing(GROUP_MEMBERS),
  ),
);

/** A value for each of some attributes. */
function byAttribute<T>(item: Kind<T>, { says, example }: { readonly says: string; readonly example: object }) {
  const map = mapOf(item);
  const parse: Parser<Readonly<Record<string, T>>> = (value, where) => {
    parsers.checkLength(Object.keys(parsers.object(value, where)).length, MAX_AGGREGATIONS, where);
    return map.parse(value, where);
  };
  const shape = {
    ...map.schema,
    maxProperties: MAX_AGGREGATIONS,
    ...described(says, [example]),
    'x-only-examples': true,
  };
  return inJson({ ...map, parse, schema: shape });
}

const AGGREGATIONS = 'invalid_search_aggregations';
/** Values computed from the numbers of a field. */
export const STATS = ['count', 'sum', 'avg', 'min', 'max'] as const;
export type Stat = (typeof STATS)[number];

const parseInterval: Parser<number> = (value, where) => {
  const interval = parsers.number(value, where);
  if (!(interval > 0)) throw wrongValue(where, 'an interval is above 0.');
  return interval;
};
const interval = kindOf(
  parseInterval,
  { type: 'number', exclusiveMinimum: 0, ...described('Width of each bucket.', [10]) },
  'a number above 0',
);
const start = kindOf(parsers.number, { type: 'number', ...described('A bound of buckets.', [0]) }, 'a number');
const HISTOGRAM_MEMBERS = {
  interval: required(AGGREGATIONS, interval, AGGREGATIONS),
  start: optional(AGGREGATIONS, start, 0),
};
const histogram = mapped(
  objectOf(HISTOGRAM_MEMBERS, { says: 'Counts of values by range.' }),
  completing(HISTOGRAM_MEMBERS),
);
const AGGREGATION_MEMBERS = {
  stats: optional(
    AGGREGATIONS,
    listOf(choice(STATS), { says: 'What is computed.', maxItems: STATS.length, examples: [['sum', 'avg']] }),
  ),
  histogram: optional(AGGREGATIONS, histogram),
  by: optional(AGGREGATIONS, text('Attribute: the same for the documents of each of its values.', 'brand')),
};
const aggregation = mapped(objectOf(AGGREGATION_MEMBERS, { id: 'Aggregation' }), completing(AGGREGATION_MEMBERS));
/** What is computed from the numbers of one field. */
export type Aggregation = ReturnType<typeof aggregation.parse>;

const aggregations = byAttribute(aggregation, {
  says: 'Sums, averages and histograms of the numbers of filterable attributes, by attribute.',
  example: { price: { stats: ['sum', 'avg'], histogram: { interval: 10 }, by: 'brand' } },
});

const LEVELS = 'invalid_search_facet_levels';
const LEVEL_MEMBERS = { under: optional(LEVELS, text('Path whose next steps are counted.', 'Books > Novels')) };
const level = mapped(objectOf(LEVEL_MEMBERS, { id: 'FacetLevelRequest' }), completing(LEVEL_MEMBERS));
const levels = byAttribute(level, {
  says: 'Steps of hierarchical facets to count, by attribute: the first ones, or those under a path.',
  example: { categories: { under: 'Books' } },
});

export const GROUP_PARAMETERS = {
  /** Counts of hits and facets are those of the documents that `distinct` leaves. */
  exactDistinctCounts: optional(
    'invalid_search_exact_distinct_counts',
    flag('Count hits and facets after `distinct`, over all hits.'),
    false,
  ),
  /** The best hits of each value of an attribute. */
  group: optional(
    GROUP,
    allowing(group, `an object with \`by\`, a filterable attribute, and \`limit\`, up to ${MAX_GROUP_HITS}, or null`),
  ),
  /** By field, the path under which steps are counted. */
  facetLevels: optional(
    LEVELS,
    allowing(levels, 'an object of attributes of `hierarchicalFacets`, each with `under`, a path or null, or null'),
  ),
  /** The order of the values of facets, which decides which of many are counted; null: that of the settings. */
  facetOrder: optional(
    'invalid_search_facet_order',
    allowing(
      choice(['alpha', 'count'], 'Order of the values of facets, instead of that in the settings.'),
      '`alpha`, `count`, or null',
    ),
  ),
  /** By field, what is computed from its numbers. */
  aggregations: optional(
    AGGREGATIONS,
    allowing(aggregations, 'an object of filterable attributes, each with `stats`, `histogram` and `by`, or null'),
  ),
  explain: optional('invalid_search_explain', flag('Tell how the search was planned and what each rule did.'), false),
};

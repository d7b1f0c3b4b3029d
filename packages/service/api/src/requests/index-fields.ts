import { apiError, MAX_NAMES } from '@fossick/base';
import {
  checked,
  checkLength,
  choice,
  completing,
  flag,
  indexUid,
  inQuery,
  listOf,
  mapped,
  names,
  objectOf,
  optional,
  optionalNotNull,
  type Parser,
  parsers,
  required,
  shown,
  text,
  wrongType,
  wrongValue,
} from '@fossick/base/contract';
import { pageFields } from './page-fields.js';

const PAGE = pageFields('invalid_index_offset', 'invalid_index_limit');
/** Query of a list of indexes or of workspaces. */
export const INDEX_PAGE_QUERY = inQuery(PAGE);

const primaryKey = optional('invalid_index_primary_key', text('Attribute that holds the ids.', 'id'));
/** Body of a creation of an index. */
export const INDEX_CREATION_BODY = {
  uid: required('invalid_index_uid', indexUid, 'missing_index_uid'),
  primaryKey,
};
/** Body of a change of an index. */
export const INDEX_UPDATE_BODY = {
  primaryKey,
  uid: optional('invalid_index_uid', indexUid),
};
/** Read-only members, which a change of an index refuses with codes of their own. */
export const INDEX_UPDATE_RULE = {
  immutable: { createdAt: 'immutable_index_created_at', updatedAt: 'immutable_index_updated_at' },
} as const;

/** Query of statistics. */
export const STATS_QUERY = inQuery({
  showInternalDatabaseSizes: optional(
    'invalid_stats_show_internal_database_sizes',
    flag('Show the size of each table.'),
    false,
  ),
  sizeFormat: optional(
    'invalid_stats_size_format',
    checked(choice(['raw', 'human'], 'Bytes, or texts such as `16 KiB`.'), (value, where) => {
      if (value === 'raw' || value === 'human') return value;
      throw wrongValue(where, `\`${String(value)}\` is neither \`raw\` nor \`human\`.`);
    }),
    'raw',
  ),
});

const FILTER = 'invalid_index_fields_filter';
const FIELD_FILTER = {
  attributePatterns: optional(
    `${FILTER}_attribute_patterns`,
    names('Names of fields, or patterns with `*`.', 'title', 'cast*'),
  ),
  displayed: optional(`${FILTER}_displayed`, flag('Only those that are shown, or are not.')),
  searchable: optional(`${FILTER}_searchable`, flag('Only those that are searched, or are not.')),
  sortable: optional(`${FILTER}_sortable`, flag('Only those that can be sorted by, or cannot.')),
  distinct: optional(`${FILTER}_distinct`, flag('Only the distinct attribute, or all others.')),
  rankingRule: optional(`${FILTER}_ranking_rule`, flag('Only those with a ranking rule, or without.')),
  filterable: optional(`${FILTER}_filterable`, flag('Only those that can be filtered by, or cannot.')),
};
/** Body of a list of the fields of an index. */
export const FIELDS_BODY = {
  ...PAGE,
  filter: optional(FILTER, objectOf(FIELD_FILTER)),
};

/** Two indexes: the types of the items are checked first, then their number, then their names. */
const parsePair: Parser<readonly [string, string]> = (value, where) => {
  const uids = parsers.strings(value, where);
  if (uids.length !== 2)
    throw wrongValue(where, `a swap names exactly two indexes, but this one names ${uids.length}.`);
  const [first, second] = uids.map((uid, i) => parsers.indexUid(uid, parsers.itemOf(where, i)));
  return [first!, second!];
};
const pair = checked(
  shown(listOf(indexUid, { says: 'Two indexes.', maxItems: 2, examples: [['movies', 'movies_new']] }), { minItems: 2 }),
  parsePair,
);
const SWAP = {
  indexes: required('invalid_swap_indexes', pair, 'missing_swap_indexes'),
  rename: optionalNotNull(
    'invalid_swap_rename',
    flag('Give the first the name of the second, which no index may have.'),
    false,
  ),
};
const swap = mapped(objectOf(SWAP, { hasPlainCode: true }), completing(SWAP));

/** An exchange of the names of two indexes, or of the name of one. */
export interface IndexSwap {
  readonly indexes: readonly [string, string];
  readonly rename: boolean;
}
const parseSwaps: Parser<readonly IndexSwap[]> = (body, where) => {
  if (!Array.isArray(body)) throw wrongType(where, 'an array', body);
  checkLength(body.length, MAX_NAMES, { code: 'invalid_swap_indexes', path: '' });
  const swaps = body.map((item, i) => swap.parse(item, parsers.itemOf(where, i)));
  const seen = new Set<string>();
  for (const uid of swaps.flatMap(({ indexes }) => indexes)) {
    if (seen.has(uid)) throw apiError('invalid_swap_duplicate_index_found', uid);
    seen.add(uid);
  }
  return swaps;
};
/** Body of an exchange of indexes. */
export const SWAPS = checked(
  listOf(swap, { maxItems: MAX_NAMES, says: 'Swaps, each of two indexes. No index takes part twice.' }),
  parseSwaps,
);

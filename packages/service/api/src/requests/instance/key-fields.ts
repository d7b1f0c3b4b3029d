import { MAX_KEY_TEXT_UNITS, MAX_NAMES } from '@fossick/base';
import {
  checked,
  choice,
  exampleText,
  inQuery,
  type Kind,
  listOf,
  nullable,
  optional,
  optionalNotNull,
  type Parser,
  parsers,
  required,
  shown,
  textUpTo,
  wrongValue,
} from '@fossick/base/contract';
import { ACTION_NAMES } from '../../names/actions.js';
import { parseFutureDate } from '../../reading/dates.js';
import { readUuid } from '../../reading/uuid.js';
import { pageFields } from '../page-fields.js';
import { INDEX_PATTERN, isIndexPattern } from './addresses.js';

const parseUuid: Parser<string> = (value, where) => {
  const text = parsers.string(value, where);
  const uid = readUuid(text);
  if (uid === undefined) throw wrongValue(where, `\`${text}\` is not a UUID.`);
  return uid;
};
const parsePattern: Parser<string> = (value, where) => {
  const pattern = parsers.string(value, where);
  if (!isIndexPattern(pattern))
    throw wrongValue(where, `\`${pattern}\` is not an index uid or a prefix of one followed by \`*\`.`);
  return pattern;
};
const indexPattern = checked(
  shown(exampleText('Uid of an index, or its beginning followed by `*`.', '*', 'movies', 'prod_*'), {
    pattern: INDEX_PATTERN,
  }),
  parsePattern,
);
/** A list for which tests use only the example. */
const exampleList = <T>(item: Kind<T>, says: string, example: string): Kind<readonly T[]> =>
  shown(listOf(item, { says, maxItems: MAX_NAMES, examples: [[example]] }), { 'x-only-examples': true });

/** Body of a change of a key. */
export const KEY_CHANGE_BODY = {
  name: optional('invalid_api_key_name', textUpTo(MAX_KEY_TEXT_UNITS, 'For people.', 'Front end')),
  description: optional('invalid_api_key_description', textUpTo(MAX_KEY_TEXT_UNITS, 'What it is for.')),
};
/** Read-only members, which a change of a key refuses with codes of their own. */
export const KEY_CHANGE_RULE = {
  immutable: {
    uid: 'immutable_api_key_uid',
    key: 'immutable_api_key_key',
    actions: 'immutable_api_key_actions',
    indexes: 'immutable_api_key_indexes',
    expiresAt: 'immutable_api_key_expires_at',
    createdAt: 'immutable_api_key_created_at',
    updatedAt: 'immutable_api_key_updated_at',
  },
} as const;
/** Body of a creation of a key. */
export const KEY_CREATION_BODY = {
  ...KEY_CHANGE_BODY,
  uid: optionalNotNull(
    'invalid_api_key_uid',
    checked(exampleText('A UUID.', '6062abda-a5aa-4414-ac91-ecd7944c0f8d'), parseUuid),
  ),
  actions: required(
    'invalid_api_key_actions',
    exampleList(choice(ACTION_NAMES), 'What it may do.', 'search'),
    'missing_api_key_actions',
  ),
  indexes: required(
    'invalid_api_key_indexes',
    exampleList(indexPattern, 'Where it may do so.', '*'),
    'missing_api_key_indexes',
  ),
  /** RFC 3339. */
  expiresAt: required(
    'invalid_api_key_expires_at',
    nullable(checked(exampleText('When it ends; null: never.', '2999-01-31T12:00:00Z', '2999-01-31'), parseFutureDate)),
    'missing_api_key_expires_at',
  ),
};
/** Query of a list of keys. */
export const KEY_PAGE_QUERY = inQuery(pageFields('invalid_api_key_offset', 'invalid_api_key_limit'));

import { filterDate } from '@fossick/api';
import {
  anything,
  checked,
  choice,
  count,
  exampleText,
  flag,
  indexUid,
  inQuery,
  listOf,
  nullable,
  optional,
  positive,
  required,
  textUpTo,
} from '@fossick/base/contract';

/** UTF-16 units of each text of an event: ids and names are shorter. */
const EVENT_TEXT_UNITS = 1_024;
const text = (says: string, ...examples: readonly string[]) => textUpTo(EVENT_TEXT_UNITS, says, ...examples);

/** Body of POST /events; members of other names are ignored. */
export const EVENT_BODY = {
  eventType: required(
    'invalid_event_type',
    choice(['click', 'conversion'], 'What a user did with a hit.'),
    'missing_event_type',
  ),
  eventName: required('invalid_event_name', text('What it is called.', 'Search Result Clicked'), 'missing_event_name'),
  indexUid: required('invalid_index_uid', indexUid, 'missing_event_index_uid'),
  userId: optional(
    'invalid_event_user_id',
    text('Who did it; the header `X-MS-USER-ID` has the same meaning.', 'u-12'),
  ),
  queryUid: optional(
    'invalid_event_query_uid',
    text('The `queryUid` of the metadata of the answer.', '0198f4a2-7b1c-7d3e-8f4a-5b6c7d8e9f0a'),
  ),
  objectId: optional('invalid_event_object_id', anything('Id of the document. It is not kept.')),
  objectName: optional('invalid_event_object_name', text('Name of the document. It is not kept.', 'Star Wars')),
  position: optional('invalid_event_position', count('Place of the hit in its answer, from 0 on.')),
};

const date = (code: 'invalid_analytics_from' | 'invalid_analytics_to', says: string) =>
  optional(code, { ...checked(exampleText(says, '2030-01-31T12:00:00Z'), filterDate('before')) });

/** Query parameters of GET /analytics/searches. */
export const ANALYTICS_QUERY = inQuery({
  from: date(
    'invalid_analytics_from',
    'Start of the range, rounded down to an hour; a day before its end when absent.',
  ),
  to: date('invalid_analytics_to', 'End of the range, rounded up to an hour; now when absent.'),
  index: optional('invalid_analytics_index', indexUid),
  limit: optional('invalid_analytics_limit', count('Entries of each list at most.'), 20),
});

/** Items of one list of the settings of suggestions. */
const SUGGESTION_NAMES_MAX = 1_000;

/** Body of PATCH /analytics/suggestions. */
export const SUGGESTIONS_BODY = {
  enabled: optional('invalid_suggestions_enabled', flag('Whether the index of suggestions is kept fresh.')),
  indexUid: optional('invalid_suggestions_index_uid', indexUid),
  sources: optional(
    'invalid_suggestions_sources',
    nullable(
      listOf(indexUid, {
        says: 'Indexes whose queries are taken; null for all.',
        maxItems: SUGGESTION_NAMES_MAX,
      }),
    ),
  ),
  minSearches: optional('invalid_suggestions_min_searches', count('Searches of a query at least.')),
  minUsers: optional(
    'invalid_suggestions_min_users',
    count('Distinct users of a query within one hour at least, up to 10.'),
  ),
  days: optional('invalid_suggestions_days', positive('Days whose searches count.')),
  maxSuggestions: optional('invalid_suggestions_max_suggestions', positive('Suggestions at most.')),
  denied: optional(
    'invalid_suggestions_denied',
    listOf(textUpTo(EVENT_TEXT_UNITS, 'A word or a phrase.', 'secret'), {
      says: 'Queries with one of these words or phrases are left out.',
      maxItems: SUGGESTION_NAMES_MAX,
    }),
  ),
};

/** Searches as a server takes them: with a rule that only the search has. Programs and pages have no search rules. */
import { type Received, required } from '@fossick/base/contract';
import { MULTI_SEARCH_BODY, MULTI_SEARCH_QUERY, queriesOf } from './multi-search-fields.js';
import { INLINE_RULE } from './rule-fields.js';
import { SEARCH_BODY } from './search-fields.js';

/** Body of POST search. */
export const SERVER_SEARCH_BODY = { ...SEARCH_BODY, ...INLINE_RULE };
/** One search, checked. */
export type SearchBody = Received<typeof SERVER_SEARCH_BODY>;
/** Body of a multi-search. */
export const SERVER_MULTI_SEARCH_BODY = {
  ...MULTI_SEARCH_BODY,
  queries: required('bad_request', queriesOf({ ...MULTI_SEARCH_QUERY, ...INLINE_RULE }), 'bad_request'),
};

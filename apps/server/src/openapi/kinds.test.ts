import * as api from '@fossick/api';
import { type Fields, optional } from '@fossick/base/contract';
import { testKinds } from './kinds.test-support.js';

/** Bodies and queries are made from tables, member by member: those that the package exports. */
const endingWith = (ending: string): [name: string, fields: Fields][] =>
  (Object.entries(api) as [string, Fields][]).filter(([name]) => name.endsWith(ending));

testKinds({
  tables: {
    ...Object.fromEntries(endingWith('_BODY')),
    SETTINGS: Object.fromEntries(api.SETTINGS_TABLE.map(({ key, code, kind }) => [key, optional(code, kind)])),
    SWAPS: { swaps: optional('bad_request', api.SWAPS) },
  },
  queries: endingWith('_QUERY'),
  languages: [
    api.FETCH_BODY.filter.kind,
    api.KEY_CREATION_BODY.expiresAt.kind,
    api.LOG_LEVEL_BODY.target.kind,
    api.KEY_CREATION_BODY.uid.kind,
    api.LOG_STREAM_BODY.target.kind,
  ],
});

import {
  type AnswerOf,
  codesOf,
  count,
  flag,
  objectSchema,
  operationsOf,
  querySchema,
  text,
} from '@fossick/api/openapi';
import type { ApiPart } from '@fossick/runtime/extension';
import { z } from 'zod';
import { ANALYTICS_QUERY, EVENT_BODY, SUGGESTIONS_BODY } from './requests.js';

const eventBody = {
  ...objectSchema(EVENT_BODY, { ignoresUnknown: true }),
  id: 'AnalyticsEvent',
  description: 'What a user did with a hit. Other members are ignored.',
};

const rate = (says: string) => z.number().nullable().meta({ description: says });
const rates = {
  searches: count('Searches; what a user types within seconds is one.'),
  withoutHits: count('Searches without hits.'),
  clicks: count('Clicks.'),
  clickedSearches: count('Searches with a click.'),
  conversions: count('Conversions.'),
  clickThroughRate: rate('Clicked searches per search; null without searches.'),
  conversionRate: rate('Conversions per search, 1 at most; null without searches.'),
  averageClickPosition: rate('From 0; null without clicks that name a position.'),
};
const milliseconds = (says: string) => z.number().meta({ description: says });
const whole = {
  requests: count('Answered searches, each keystroke by itself.'),
  ...rates,
  users: count('Distinct users, estimated within a few in a hundred.'),
  unlinkedEvents: count('Clicks and conversions whose query is not known.'),
  latency: z.strictObject({
    averageMs: milliseconds('Mean.'),
    p50Ms: milliseconds('Half of the searches take no longer.'),
    p95Ms: milliseconds('95 of a hundred take no longer.'),
    p99Ms: milliseconds('99 of a hundred take no longer.'),
  }),
};
const query = z.strictObject({
  index: z.string(),
  query: z.string(),
  hitCount: count('Of the last search.'),
  ...rates,
});
const report = z
  .strictObject({
    from: text('Start of the range.'),
    to: text('End of the range.'),
    index: z.string().nullable(),
    enabled: flag('Whether searches are counted now.'),
    totals: z.strictObject(whole),
    times: z.array(z.strictObject({ from: z.string(), ...whole })),
    stepSeconds: count('Of each entry of `times`.'),
    queries: z.array(query),
    withoutHits: z.array(query),
    otherSearches: count('Searches whose queries were too rare to be listed.'),
    positions: z.array(z.strictObject({ position: z.string(), clicks: count('Clicks there.') })),
    indexes: z.array(z.strictObject({ index: z.string(), ...whole })),
    rules: z.array(z.strictObject({ rule: z.string(), ...rates })),
    groups: z.array(z.strictObject({ group: z.string(), ...rates })),
    isPartial: flag('Whether there were more rows than a report reads.'),
    dropped: z.strictObject({
      records: count('Searches and events that found no space.'),
      hours: count('Hours that could not be stored.'),
    }),
  })
  .meta({ id: 'SearchReport', description: 'What was searched in a range of time.' });
export type ReportAnswer = AnswerOf<typeof report>;
const RATES = {
  searches: 12,
  withoutHits: 1,
  clicks: 4,
  clickedSearches: 3,
  conversions: 1,
  clickThroughRate: 0.25,
  conversionRate: 0.0833,
  averageClickPosition: 1.5,
};
const WHOLE = {
  requests: 61,
  ...RATES,
  users: 5,
  unlinkedEvents: 0,
  latency: { averageMs: 1.2, p50Ms: 1, p95Ms: 4, p99Ms: 8 },
};
const QUERY = { index: 'movies', query: 'star wars', hitCount: 9, ...RATES };
const REPORT = {
  from: '2030-01-31T12:00:00.000Z',
  to: '2030-02-01T12:00:00.000Z',
  index: null,
  enabled: true,
  totals: WHOLE,
  times: [{ from: '2030-01-31T12:00:00.000Z', ...WHOLE }],
  stepSeconds: 3_600,
  queries: [QUERY],
  withoutHits: [QUERY],
  otherSearches: 0,
  positions: [{ position: '0', clicks: 2 }],
  indexes: [{ index: 'movies', ...WHOLE }],
  rules: [{ rule: 'promo', ...RATES }],
  groups: [{ group: 'staff', ...RATES }],
  isPartial: false,
  dropped: { records: 0, hours: 0 },
};

const suggestions = z.strictObject({
  enabled: z.boolean(),
  /** The index that gets them. */
  indexUid: z.string(),
  /** The indexes whose queries are taken; null for all. */
  sources: z.array(z.string()).nullable(),
  /** Searches of a query at least, in the days that count. */
  minSearches: z.number(),
  /** Distinct users at least, in one hour at least; 0 counts searches without a user too. */
  minUsers: z.number(),
  days: z.number(),
  /** Suggestions at most. */
  maxSuggestions: z.number(),
  /** Words and phrases: queries with one of them are left out. */
  denied: z.array(z.string()),
});
/** Which queries become suggestions. */
export type SuggestionSettings = AnswerOf<typeof suggestions>;
const SUGGESTIONS = {
  enabled: true,
  indexUid: 'query_suggestions',
  sources: null,
  minSearches: 5,
  minUsers: 0,
  days: 30,
  maxSuggestions: 1_000,
  denied: ['secret'],
};
const shown = [{ status: 200, says: 'The settings.', schema: suggestions, example: SUGGESTIONS }];
const tag = 'Search analytics';
const path = '/analytics/suggestions';

const OPERATIONS = operationsOf({ tag }, [
  {
    id: 'sendEvent',
    route: 'POST /events',
    summary: 'Count a click or a conversion',
    action: 'search',
    body: {
      schema: eventBody,
      example: {
        eventType: 'click',
        eventName: 'Search Result Clicked',
        indexUid: 'movies',
        userId: 'u-12',
        position: 0,
      },
    },
    answers: [{ status: 201, says: 'It is counted.' }],
    errors: [...codesOf('invalid_event_', 'missing_event_'), 'invalid_index_uid', 'search_analytics_off'],
  },
  {
    id: 'getSearchReport',
    route: 'GET /analytics/searches',
    summary: 'What was searched, and how it went',
    action: 'stats.get',
    query: querySchema(ANALYTICS_QUERY),
    answers: [{ status: 200, says: 'A report.', schema: report, example: REPORT }],
    errors: [...codesOf('invalid_analytics_'), 'too_many_search_requests'],
  },
  {
    id: 'getSuggestionSettings',
    route: `GET ${path}`,
    summary: 'Which queries become suggestions',
    action: 'dynamicSearchRules.get',
    answers: shown,
  },
  {
    id: 'updateSuggestionSettings',
    route: `PATCH ${path}`,
    summary: 'Change which queries become suggestions; null resets a setting',
    action: 'dynamicSearchRules.update',
    body: { schema: objectSchema(SUGGESTIONS_BODY), example: { enabled: true, denied: ['secret'] } },
    answers: shown,
    errors: codesOf('invalid_suggestions_'),
  },
  {
    id: 'resetSuggestionSettings',
    route: `DELETE ${path}`,
    summary: 'Reset which queries become suggestions',
    action: 'dynamicSearchRules.delete',
    answers: shown,
  },
]);

/** What is in the OpenAPI document of it. */
export const ANALYTICS_PART: ApiPart = {
  tags: { [tag]: 'What users search for and click, if the server counts it.' },
  operations: OPERATIONS,
};

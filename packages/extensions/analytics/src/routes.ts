import { readFields, readNoQuery, readQuery } from '@fossick/api';
import { apiError } from '@fossick/base';
import { requireIndex } from '@fossick/instance/access';
import type { ExtensionAnswer, ExtensionHost, ExtensionRoute } from '@fossick/runtime/extension';
import { callerOf } from './caller.js';
import type { ServerAnalytics } from './instance/server-analytics.js';
import { HOUR_MS } from './records/record-log.js';
import { ANALYTICS_QUERY, EVENT_BODY, SUGGESTIONS_BODY } from './requests.js';

/** Bytes of the body of an event: each of its texts has 1,024 units at most. */
const EVENT_BYTES = 65_536;
const HOUR_SECONDS = HOUR_MS / 1000;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** The longest range of a report: no more rows are read for it than for a month. */
const RANGE_DAYS_MAX = 366;
/** Entries of each list of a report. */
const LIMIT_MAX = 1_000;

/** Events of clients, reports, and the settings of suggestions. */
export function analyticsRoutes(
  analytics: ServerAnalytics,
  { bodyBytesMax }: Pick<ExtensionHost, 'bodyBytesMax'>,
): ExtensionRoute[] {
  return [
    {
      method: 'POST',
      path: '/events',
      action: 'search',
      async answer(request) {
        const body = await request.json(Math.min(bodyBytesMax, EVENT_BYTES));
        const event = readFields(body, EVENT_BODY, { ignoresUnknown: true });
        requireIndex(request.access, event.indexUid!);
        const { recorder } = analytics;
        if (recorder === undefined) throw apiError('search_analytics_off');
        const { eventType, indexUid, queryUid, position } = event;
        recorder.event(
          { kind: eventType!, indexUid: indexUid!, queryUid: queryUid ?? '', position: position ?? -1 },
          { user: event.userId ?? callerOf(request).user },
        );
        return { status: 201 };
      },
    },
    {
      method: 'GET',
      path: '/analytics/searches',
      action: 'stats.get',
      async answer({ access, query }) {
        const { from, to, index, limit } = readQuery(query, ANALYTICS_QUERY);
        const until = Math.ceil((to ?? Date.now() * 1000) / 1e6 / HOUR_SECONDS) * HOUR_SECONDS;
        const given = from === undefined || from === null ? until * 1e6 - DAY_SECONDS * 1e6 : from;
        const since = Math.floor(given / 1e6 / HOUR_SECONDS) * HOUR_SECONDS;
        if (since >= until) throw apiError('invalid_analytics_to', 'beforeFrom');
        if (until - since > RANGE_DAYS_MAX * DAY_SECONDS)
          throw apiError('invalid_analytics_to', 'tooLong', RANGE_DAYS_MAX);
        const range = { from: since, to: until, limit: Math.min(limit ?? ANALYTICS_QUERY.limit.default, LIMIT_MAX) };
        const report = await analytics.report(range, index ?? null, access.allowsIndex);
        return { status: 200, json: { from: timeOf(since), to: timeOf(until), index: index ?? null, ...report } };
      },
    },
    ...suggestionRoutes(analytics),
  ];
}

/** They concern the whole instance: their actions are those of search rules, which no key of single indexes has. */
function suggestionRoutes({ suggestions }: ServerAnalytics): ExtensionRoute[] {
  const path = '/analytics/suggestions';
  const shown = (): ExtensionAnswer => ({ status: 200, json: suggestions.settings() });
  return [
    {
      method: 'GET',
      path,
      action: 'dynamicSearchRules.get',
      answer({ query }) {
        readNoQuery(query);
        return shown();
      },
    },
    {
      method: 'PATCH',
      path,
      action: 'dynamicSearchRules.update',
      async answer(request) {
        await suggestions.change(readFields(await request.json(), SUGGESTIONS_BODY));
        return shown();
      },
    },
    {
      method: 'DELETE',
      path,
      action: 'dynamicSearchRules.delete',
      async answer() {
        await suggestions.reset();
        return shown();
      },
    },
  ];
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

import { HOUR_MS } from '@fossick/analytics';
import { ANALYTICS_QUERY, EVENT_BODY, readFields, readNoQuery, readQuery, SUGGESTIONS_BODY } from '@fossick/api';
import { apiError } from '@fossick/base';
import { requireIndex } from '@fossick/instance/access';
import type { FastifyReply } from 'fastify';
import { callerOf } from '../../analytics/search-notes.js';
import { authorize, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import { sendEmpty } from '../../http/errors.js';
import type { Router } from '../../http/router.js';

/** Bytes of the body of an event: each of its texts has 1,024 units at most. */
const EVENT_BYTES = 65_536;
const HOUR_SECONDS = HOUR_MS / 1000;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** The longest range of a report: no more rows are read for it than for a month. */
const RANGE_DAYS_MAX = 366;
/** Entries of each list of a report. */
const LIMIT_MAX = 1_000;

/** Search analytics: events of clients, reports, and the settings of suggestions. */
export function registerAnalytics(router: Router, context: ServerContext): void {
  router.on('POST', '/events', async (request, reply) => {
    const access = authorize(context, request, 'search');
    const limitBytes = Math.min(context.options.readLimitBytes, EVENT_BYTES);
    const event = readFields(await readJson(request, limitBytes), EVENT_BODY, { ignoresUnknown: true });
    requireIndex(access, event.indexUid!);
    const { recorder } = context.analytics;
    if (recorder === undefined) throw apiError('search_analytics_off');
    const caller = callerOf({ headers: request.headers, connection: request.raw.socket });
    recorder.event(
      {
        kind: event.eventType!,
        indexUid: event.indexUid!,
        queryUid: event.queryUid ?? '',
        position: event.position ?? -1,
      },
      { user: event.userId ?? caller.user },
    );
    return sendEmpty(reply, 201);
  });
  router.on('GET', '/analytics/searches', async (request, reply) => {
    const access = authorize(context, request, 'stats.get');
    const { from, to, index, limit } = readQuery(queryOf(request), ANALYTICS_QUERY);
    const until = Math.ceil((to ?? Date.now() * 1000) / 1e6 / HOUR_SECONDS) * HOUR_SECONDS;
    const since =
      Math.floor((from === undefined || from === null ? until * 1e6 - DAY_SECONDS * 1e6 : from) / 1e6 / HOUR_SECONDS) *
      HOUR_SECONDS;
    if (since >= until) throw apiError('invalid_analytics_to', 'beforeFrom');
    if (until - since > RANGE_DAYS_MAX * DAY_SECONDS) throw apiError('invalid_analytics_to', 'tooLong', RANGE_DAYS_MAX);
    const range = { from: since, to: until, limit: Math.min(limit ?? ANALYTICS_QUERY.limit.default, LIMIT_MAX) };
    const report = await context.analytics.report(range, index ?? null, access.allowsIndex);
    return sendJson(reply, { from: timeOf(since), to: timeOf(until), index: index ?? null, ...report });
  });
  registerSuggestions(router, context);
}

/** They concern the whole instance: their actions are those of search rules, which no key of single indexes has. */
function registerSuggestions(router: Router, context: ServerContext): void {
  const url = '/analytics/suggestions';
  const { suggestions } = context.analytics;
  const send = (reply: FastifyReply) => sendJson(reply, suggestions.settings());
  router.on('GET', url, (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.get');
    readNoQuery(queryOf(request));
    return send(reply);
  });
  router.on('PATCH', url, async (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.update');
    const body = readFields(await readJson(request, context.options.readLimitBytes), SUGGESTIONS_BODY);
    await suggestions.change(body);
    return send(reply);
  });
  router.on('DELETE', url, async (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.delete');
    await suggestions.reset();
    return send(reply);
  });
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

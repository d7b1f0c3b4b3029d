import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@fossick/analytics';
import { ANALYTICS_INDEX_UID } from '@fossick/analytics';
import { type AnswerWishes, wantsMetadata } from '@fossick/search-service';
import type { ServerAnalytics } from './server-analytics.js';

/** A request as analytics see it. */
export interface NotedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Its connection, by which visitors are told apart who name no user. */
  readonly connection: object;
}

/** Who made a request: the user and the group that it names, and its connection. No address is looked at. */
export function callerOf({ headers, connection }: NotedRequest): Caller {
  return { user: textOf(headers['x-ms-user-id']), group: textOf(headers['fossick-user-group']), connection };
}

const textOf = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' && header !== '' ? header : undefined;

/**
 * What a search is asked besides its hits: metadata where the request wants them, and notes where searches are counted. A search that
 * another instance of the network sends was counted there, and those in the index of counts or of suggestions are no searches of users.
 */
export function wishesOf({ analytics }: { readonly analytics: ServerAnalytics }, request: NotedRequest): AnswerWishes {
  const withMetadata = wantsMetadata(request);
  const { recorder } = analytics;
  if (recorder === undefined || request.headers['meili-proxy-search'] === 'true') return { withMetadata };
  const caller = callerOf(request);
  return {
    withMetadata,
    note(search) {
      const { indexUid } = search;
      if (indexUid !== ANALYTICS_INDEX_UID && indexUid !== analytics.suggestions.keptIndexUid)
        recorder.search(search, caller);
    },
  };
}

import { useQuery } from '@tanstack/react-query';
import { call } from './client.js';
import { isServed } from './extensions.js';
import { pollMs } from './queries.js';

/** Counts of searches with their shares. */
export interface SearchRates {
  readonly searches: number;
  readonly withoutHits: number;
  readonly clicks: number;
  readonly clickThroughRate: number | null;
  readonly conversions: number;
  readonly averageClickPosition: number | null;
}
export interface SearchTotals extends SearchRates {
  readonly requests: number;
  readonly users: number;
  readonly latency: {
    readonly averageMs: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
    readonly p99Ms: number;
  };
}
export interface QueryRates extends SearchRates {
  readonly index: string;
  readonly query: string;
}
/** The report of the server. */
export interface SearchReport {
  readonly enabled: boolean;
  readonly totals: SearchTotals;
  readonly times: readonly (SearchTotals & { readonly from: string })[];
  readonly queries: readonly QueryRates[];
  readonly withoutHits: readonly QueryRates[];
  readonly positions: readonly { readonly position: string; readonly clicks: number }[];
  readonly indexes: readonly (SearchTotals & { readonly index: string })[];
  readonly rules: readonly (SearchRates & { readonly rule: string })[];
  readonly groups: readonly (SearchRates & { readonly group: string })[];
  readonly isPartial: boolean;
  readonly dropped: { readonly records: number; readonly hours: number };
}
export interface SuggestionSettings {
  readonly enabled: boolean;
  readonly indexUid: string;
}

const HOUR_MS = 3_600_000;
const REPORT_POLL_MS = 5_000;
const SETTINGS_STALE_MS = 60_000;

/** What was searched in the last hours, in one index or in all. */
export function useSearchReport(hours: number, index: string | null) {
  return useQuery({
    queryKey: ['search-report', hours, index],
    queryFn: ({ signal }) =>
      call<SearchReport>('GET', '/analytics/searches', {
        query: { from: new Date(Date.now() - hours * HOUR_MS).toISOString(), ...(index === null ? {} : { index }) },
        signal,
      }),
    enabled: isServed('analytics'),
    refetchInterval: ({ state }) => pollMs(state.error, state.data?.enabled === true ? REPORT_POLL_MS : false),
    retry: false,
  });
}

/** Whether the server counts searches; false for a key that may not know. */
export function useIsCounting(): boolean {
  const { data } = useQuery({
    queryKey: ['is-counting'],
    queryFn: ({ signal }) => call<SearchReport>('GET', '/analytics/searches', { query: { limit: 0 }, signal }),
    enabled: isServed('analytics'),
    staleTime: SETTINGS_STALE_MS,
    retry: false,
  });
  return data?.enabled === true;
}

/** Popular queries of an index that begin like `q`; none while suggestions are off. */
export function useSuggestions(uid: string, q: string): readonly string[] {
  const { data: settings } = useQuery({
    queryKey: ['suggestion-settings'],
    queryFn: ({ signal }) => call<SuggestionSettings>('GET', '/analytics/suggestions', { signal }),
    enabled: isServed('analytics'),
    staleTime: SETTINGS_STALE_MS,
    retry: false,
  });
  const from = settings?.enabled === true ? settings.indexUid : null;
  const { data } = useQuery({
    queryKey: ['suggestions', from, uid, q],
    queryFn: async ({ signal }) => {
      const body = { q, filter: `index = "${uid}"`, limit: SUGGESTIONS, attributesToRetrieve: ['query'] };
      const path = `/indexes/${encodeURIComponent(from ?? '')}/search`;
      const { hits } = await call<{ readonly hits: readonly { readonly query: string }[] }>('POST', path, {
        body,
        signal,
      });
      return hits.map(({ query }) => query).filter((query) => query !== q.trim().toLowerCase());
    },
    enabled: from !== null,
    retry: false,
  });
  return from === null ? [] : (data ?? []);
}
const SUGGESTIONS = 6;

const VISITOR_NAME = 'fossick.visitor';
/** Names this tab, so that the server counts what is typed here as one search. */
export function visitorHeaders(): Record<string, string> {
  let visitor = sessionStorage.getItem(VISITOR_NAME);
  if (visitor === null) {
    visitor = `dashboard-${Math.random().toString(36).slice(2)}`;
    sessionStorage.setItem(VISITOR_NAME, visitor);
  }
  return { 'x-ms-user-id': visitor, 'fossick-user-group': 'dashboard' };
}

/** Counts the opening of a hit. A fault is of no interest to the user. */
export function sendClick(event: {
  readonly indexUid: string;
  readonly queryUid: string;
  readonly objectId: string;
  readonly position: number;
}): void {
  const body = { eventType: 'click', eventName: 'Hit opened', ...event };
  call('POST', '/events', { body, headers: visitorHeaders() }).catch(() => undefined);
}

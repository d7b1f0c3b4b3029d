import type { ExtensionHost, OpenExtension } from '@fossick/runtime/extension';
import { callerOf } from './caller.js';
import { ANALYTICS_INDEX_UID } from './documents/index-uid.js';
import { ServerAnalytics } from './instance/server-analytics.js';
import type { AnalyticsOptions } from './options.js';
import { analyticsRoutes } from './routes.js';

/** `options`: null: nothing is counted, and what was counted before can be read. */
export function openAnalytics(options: AnalyticsOptions | null, host: ExtensionHost): OpenExtension {
  const periodMs = Number(process.env['FOSSICK_TEST_ANALYTICS_PERIOD_MS'] ?? Number.NaN);
  const analytics = new ServerAnalytics({ options, host, periodMs: Number.isNaN(periodMs) ? undefined : periodMs });
  const { recorder } = analytics;
  return {
    routes: analyticsRoutes(analytics, host),
    describe: async () => (await import('./description.js')).ANALYTICS_PART,
    // searches in the index of counts or of suggestions are none of users
    noteSearch(asker) {
      if (recorder === undefined) return undefined;
      const caller = callerOf(asker);
      return (search) => {
        const { indexUid } = search;
        if (indexUid !== ANALYTICS_INDEX_UID && indexUid !== analytics.suggestions.keptIndexUid)
          recorder.search(search, caller);
      };
    },
    close: () => analytics.close(),
  };
}

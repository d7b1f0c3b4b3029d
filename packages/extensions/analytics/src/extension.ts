import type { Extension } from '@fossick/runtime/extension';
import { ANALYTICS_INDEX } from './documents/index-uid.js';
import { ANALYTICS_OPTIONS, readAnalyticsOptions } from './options.js';

/** Search analytics. All else of this package is loaded by `open`. */
export const analytics: Extension = {
  name: ANALYTICS_INDEX.name,
  options: ANALYTICS_OPTIONS,
  guardedIndexes: [ANALYTICS_INDEX],
  configure(values) {
    const options = readAnalyticsOptions(values);
    return { open: async (host) => (await import('./open-analytics.js')).openAnalytics(options, host) };
  },
};

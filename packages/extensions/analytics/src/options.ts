import { bytesOption, flagOption, integerOption, type OptionGroup, type OptionValues } from '@fossick/instance';

export const ANALYTICS_OPTIONS: OptionGroup = {
  title: 'Search analytics',
  options: [
    flagOption('search-analytics', 'count searches, clicks and conversions in an index of this instance'),
    integerOption('search-analytics-days', 'days for which the counts are kept', 30),
    bytesOption('search-analytics-size', 'disk space of the counts at most', 512 << 20),
    flagOption('search-analytics-no-queries', 'drop the texts of queries before they are recorded'),
  ],
};

/** What is kept of searches, clicks and conversions. */
export interface AnalyticsOptions {
  readonly days: number;
  /** Of the counts and of the records that are not counted in documents yet. */
  readonly bytesMax: number;
  /** Whether the texts of queries are kept. */
  readonly keepsQueries: boolean;
}

/** Null: nothing is counted. */
export function readAnalyticsOptions(values: OptionValues): AnalyticsOptions | null {
  const [days, bytesMax] = [values.integer('search-analytics-days')!, values.bytes('search-analytics-size')!];
  if (!values.has('search-analytics')) return null;
  return { days: Math.max(1, days), bytesMax, keepsQueries: !values.has('search-analytics-no-queries') };
}

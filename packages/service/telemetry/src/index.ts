export { InstanceMetrics } from './metrics/instance-metrics.js';
export type { MetricsContext } from './metrics/metrics-context.js';
export { BUNDLE_BYTES_MAX, UsageCounts } from './usage/usage-counts.js';
export { isFirstStart, usageFacts } from './usage/usage-facts.js';
export { type InstanceFacts, UsageReports } from './usage/usage-reports.js';

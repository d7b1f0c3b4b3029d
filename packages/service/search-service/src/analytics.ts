/** Which searches were made, what was clicked, and how long answers took. */
export { latencyBelow } from './analytics/counts/counts.js';
export { normalQuery } from './analytics/counts/normal-query.js';
export { hourDocuments } from './analytics/documents/hour-documents.js';
export type { AnalyticsIndex, HourDocument, RowsQuery } from './analytics/documents/port.js';
export { HourPublisher, PUBLISH_MS } from './analytics/documents/publisher.js';
export { HOUR_MS, hourOf } from './analytics/records/record-log.js';
export { type AnalyticsReport, makeReport, type ReportRange } from './analytics/reports/report.js';
export { readRows } from './analytics/reports/rows.js';
export { type Caller, type GivenEvent, type GivenSearch, SearchAnalytics } from './analytics/search-analytics.js';
export {
  DEFAULT_SUGGESTIONS,
  makeSuggestions,
  type Suggestion,
  type SuggestionSettings,
} from './analytics/suggestions/suggestions.js';

/** Which searches were made, what was clicked, and how long answers took. */
export { latencyBelow } from './counts/counts.js';
export { normalQuery } from './counts/normal-query.js';
export { hourDocuments } from './documents/hour-documents.js';
export { ANALYTICS_INDEX, ANALYTICS_INDEX_UID } from './documents/index-uid.js';
export type { AnalyticsIndex, HourDocument, RowsQuery } from './documents/port.js';
export { HourPublisher, PUBLISH_MS } from './documents/publisher.js';
export { HOUR_MS, hourOf } from './records/record-log.js';
export { type AnalyticsReport, makeReport, type ReportRange } from './reports/report.js';
export { readRows } from './reports/rows.js';
export { type Caller, type GivenEvent, type GivenSearch, SearchAnalytics } from './search-analytics.js';
export {
  DEFAULT_SUGGESTIONS,
  makeSuggestions,
  type Suggestion,
  type SuggestionSettings,
} from './suggestions/suggestions.js';

/** What writes postings: without what reads them, for the thread that only builds segments. */
export { type DocRange, SegmentWindows } from './building/segment-windows.js';
export { FieldPlans, WordCollector } from './building/word-collector.js';
export { WordCountTable } from './bytes/word-counts.js';
export { EXACT_PARTS, FUZZY_PARTS, writeTable } from './bytes/word-table.js';

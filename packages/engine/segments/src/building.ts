/** What makes a segment of documents: without what reads an index, for the thread that only builds segments. */
export { SegmentBuilder } from './building/segment-builder.js';
export type { SegmentInfo } from './rows/segment-info.js';

export { knownFacets } from '@fossick/columns';
export type { DocumentOperation, OperationOutcome, WriteContext } from '@fossick/indexing';
export { checkIndexes, type IndexFinding } from './check-indexes.js';

export { withDictionariesAsync, withDictionariesSync } from './dictionaries/with-dictionaries.js';
export type * from './port.js';
export { openEngineReader, SearchMemoryShortage } from './reader.js';

export { newSummaryMarks } from './summary-marks.js';

export type { IndexCheckResult } from './verify/verify-index.js';
export { verifyIndexes } from './verify/verify-indexes.js';

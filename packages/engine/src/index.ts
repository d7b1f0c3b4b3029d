export { knownFacets } from '@fossick/columns';
export type { DocumentOperation, OperationOutcome, WriteContext } from '@fossick/indexing';
export { checkIndexes, type IndexFinding } from './check-indexes.js';

export { withDictionariesBeside, withDictionariesFirst } from './dictionaries/read-beside.js';
export type * from './port.js';
export { openEngineReader, SearchMemoryShortage } from './reader.js';

export { newSummaryMarks } from './summary-marks.js';

export type { IndexVerdict } from './verify/verify-index.js';
export { verifyIndexes } from './verify/verify-indexes.js';

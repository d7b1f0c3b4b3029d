/** What writes vectors: without what searches them, for the thread that only builds segments. */
export { quantizedNames } from './rows/document-vectors.js';
export { VectorCollector } from './rows/vector-table.js';
export { writeVectors } from './rows/write-vectors.js';

export { EmbeddingChange } from './embedding/embedding-change.js';
export type { MakeOptions, PendingVectors, VectorMaker } from './embedding/vector-maker.js';
export { Extraction } from './extraction/extraction.js';
export { type BatchDone, Merger } from './merging/merger.js';
export { applyOperations, OperationRefused } from './operations/apply-operations.js';
export { matchDocuments, refuseForeign } from './operations/match-documents.js';
export type { DocumentOperation, OperationOutcome } from './operations/operation.js';
export { payloadBytes } from './operations/payload-bytes.js';
export { WaitCounter, type WriterWaits } from './threads/writer-waits.js';
export { EmbeddingCounter } from './transaction/embedding-counter.js';
export {
  type IdempotencyKey,
  type IdempotencyRecord,
  readRecords,
  recordFor,
} from './transaction/idempotency-records.js';
export { IndexTransaction } from './transaction/index-transaction.js';
export { prepareStore } from './transaction/prepare-store.js';
export { removeUncommitted } from './transaction/uncommitted-rows.js';
export type { IndexTransactionOptions, WriteContext } from './transaction/write-context.js';

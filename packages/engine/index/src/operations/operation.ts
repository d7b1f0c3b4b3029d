import type { AdditionOperation, DocumentOperation } from '@fossick/documents';
import type { DocumentErrorSummary } from '@fossick/documents/document-errors';
import type { IdempotencyKey } from '../transaction/idempotency-records.js';

/** One step of a batch on the documents of one index, in task order. */
export type BatchOperation = (DocumentOperation | PayloadOperation) & { readonly idempotencyKey?: IdempotencyKey };
export interface PayloadOperation extends AdditionOperation {
  /** The documents come from an index with the same settings, so their vectors may be absent or of an earlier size. */
  readonly areStored?: boolean;
}
/** The result of one operation; an error fails only that operation, of which nothing stays. */
export interface OperationOutcome {
  readonly indexedDocuments?: number;
  readonly deletedDocuments?: number;
  readonly editedDocuments?: number;
  /** The documents that were skipped; only of operations that skip. */
  readonly documentErrors?: DocumentErrorSummary;
  /** Code of the error table, and message. */
  readonly error?: { readonly code: string; readonly message: string };
}

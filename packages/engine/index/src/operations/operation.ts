import type { DocumentErrorSummary } from '@fossick/documents/document-errors';
import type { IdempotencyKey } from '../transaction/idempotency-records.js';

/** One step of a batch on the documents of one index, in task order. Payload files are NDJSON, already checked to parse as objects. */
export type DocumentOperation = { readonly idempotencyKey?: IdempotencyKey } & (
  | PayloadOperation
  | { readonly kind: 'deleteIds'; readonly ids: Iterable<string> }
  | { readonly kind: 'deleteFilter'; readonly filter: unknown }
  | { readonly kind: 'clear' }
  /** Documents that have expired by then, in milliseconds since 1970. */
  | { readonly kind: 'deleteExpired'; readonly untilMs: number }
  | {
      readonly kind: 'edit';
      readonly function: string;
      readonly filter: unknown;
      readonly context: unknown;
      readonly skipsFaulty?: boolean;
    }
);
export interface PayloadOperation {
  readonly kind: 'replace' | 'update';
  readonly payloadFile: string;
  readonly primaryKey: string | null;
  readonly skipCreation: boolean;
  /** The documents come from an index with the same settings, so their vectors may be absent or of an earlier size. */
  readonly areStored?: boolean;
  /** A faulty document is left out instead of failing the operation; the payload may have marks of others. */
  readonly skipsFaulty?: boolean;
  /** Lines of the payload, used only for progress. */
  readonly documentCount?: number;
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

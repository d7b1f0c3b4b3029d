import type { IdempotencyKey } from '../transaction/idempotency-records.js';

/** One step of a batch on the documents of one index, in task order. Payload files are NDJSON, already checked to parse as objects. */
export type DocumentOperation = { readonly idempotencyKey?: IdempotencyKey } & (
  | PayloadOperation
  | { readonly kind: 'deleteIds'; readonly ids: Iterable<string> }
  | { readonly kind: 'deleteFilter'; readonly filter: unknown }
  | { readonly kind: 'clear' }
  | { readonly kind: 'edit'; readonly function: string; readonly filter: unknown; readonly context: unknown }
);
export interface PayloadOperation {
  readonly kind: 'replace' | 'update';
  readonly payloadFile: string;
  readonly primaryKey: string | null;
  readonly skipCreation: boolean;
  /** The documents come from an index with the same settings, so their vectors may be absent or of an earlier size. */
  readonly areStored?: boolean;
  /** Lines of the payload, used only for progress. */
  readonly documentCount?: number;
}
/** The result of one operation; an error fails only that operation, which is undone. */
export interface OperationOutcome {
  readonly indexedDocuments?: number;
  readonly deletedDocuments?: number;
  readonly editedDocuments?: number;
  /** Code of the error table, and message. */
  readonly error?: { readonly code: string; readonly message: string };
}

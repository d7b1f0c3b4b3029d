import { ApiError, unreachable } from '@fossick/base';
import { externalIdOf, inferPrimaryKey } from '../documents/document-id.js';
import { parseDocument } from '../documents/parse-document.js';
import { visitPayloadLines } from '../documents/payload-lines.js';
import type { DocumentOperation, OperationOutcome, PayloadOperation, WriteContext } from '../port.js';
import type { IndexTransaction } from './index-transaction.js';

export interface ApplyOptions {
  readonly context: WriteContext;
  /** Docids that match a filter, in the state after all changes so far. Throws ApiError invalid_document_filter. */
  readonly matchFilter: (filter: unknown) => Uint32Array;
}

/**
 * Applies operations in order within one transaction; answers one outcome for each. An operation that fails at its
 * payload leaves no trace and the
 * others go on; any other failure is thrown and fails the batch (spec 01 section 6).
 */
export function applyOperations(
  transaction: IndexTransaction,
  operations: readonly DocumentOperation[],
  options: ApplyOptions,
): OperationOutcome[] {
  const isMixed = operations.some((operation) => operation.kind === 'replace' || operation.kind === 'update');
  return operations.map((operation, at) => {
    options.context.onProgress(isMixed ? 'computing document changes' : 'delete documents', 0, 1);
    options.context.onProgress('payload', at, operations.length);
    switch (operation.kind) {
      case 'replace':
      case 'update':
        return applyPayload(transaction, operation, options.context);
      case 'deleteIds':
        return { deletedDocuments: deleteIds(transaction, operation.ids, isMixed) };
      case 'deleteFilter':
        return deleteMatching(transaction, operation.filter, isMixed, options);
      case 'clear':
        return { deletedDocuments: transaction.clear() };
      case 'edit':
        return {
          editedDocuments: 0,
          deletedDocuments: 0,
          error: {
            code: 'edit_documents_by_function_error',
            message:
              'Editing documents by a function is not available in this server: its language is not implemented.',
          },
        };
      default:
        return unreachable(operation);
    }
  });
}

function applyPayload(
  transaction: IndexTransaction,
  operation: PayloadOperation,
  context: WriteContext,
): OperationOutcome {
  transaction.begin();
  try {
    return { indexedDocuments: storePayload(transaction, operation, context) };
  } catch (error) {
    if (!(error instanceof ApiError) || !PAYLOAD_CODES.has(error.code)) throw error;
    transaction.rollback();
    return { indexedDocuments: 0, error: { code: error.code, message: error.message } };
  }
}

/** Faults of a payload, which fail their own operation alone. */
const PAYLOAD_CODES: ReadonlySet<string> = new Set([
  'index_primary_key_no_candidate_found',
  'index_primary_key_multiple_candidates_found',
  'index_primary_key_already_exists',
  'missing_document_id',
  'invalid_document_id',
]);

/** How many documents are stored between two looks at whether to go on. */
const LINES_PER_REPORT = 256;

/** Answers the number of distinct ids in the payload. */
function storePayload(transaction: IndexTransaction, operation: PayloadOperation, context: WriteContext): number {
  if (operation.primaryKey !== null) adoptPrimaryKey(transaction, operation.primaryKey);
  const externalIds = new Set<string>();
  const merge = operation.kind === 'update';
  let lineCount = 0;
  visitPayloadLines(operation.payloadFile, (line) => {
    const document = parseDocument(line);
    const primaryKey = transaction.primaryKey ?? adoptPrimaryKey(transaction, inferPrimaryKey(document));
    const externalId = externalIdOf(document, primaryKey);
    externalIds.add(externalId);
    transaction.putDocument(externalId, document, merge, operation.skipCreation);
    lineCount += 1;
    if (lineCount % LINES_PER_REPORT === 0) {
      transaction.checkCanceled();
      context.onProgress('document', lineCount, operation.documentCount ?? lineCount);
    }
    return true;
  });
  return externalIds.size;
}

function adoptPrimaryKey(transaction: IndexTransaction, primaryKey: string): string {
  if (transaction.primaryKey !== null && transaction.primaryKey !== primaryKey) {
    throw new ApiError(
      'index_primary_key_already_exists',
      `The index already has the primary key \`${transaction.primaryKey}\`; \`${primaryKey}\` cannot be set.`,
    );
  }
  transaction.primaryKey = primaryKey;
  // The primary key is the first field of its index.
  transaction.fields.add(primaryKey);
  return primaryKey;
}

/**
 * In a batch that also adds documents the count is of distinct ids provided, else of documents removed (spec 01
 * section 4).
 */
function deleteIds(transaction: IndexTransaction, ids: readonly string[], isMixed: boolean): number {
  let deletedCount = 0;
  for (const id of ids) if (transaction.deleteDocument(id)) deletedCount += 1;
  return isMixed ? new Set(ids).size : deletedCount;
}

function deleteMatching(
  transaction: IndexTransaction,
  filter: unknown,
  isMixed: boolean,
  options: ApplyOptions,
): OperationOutcome {
  try {
    const docIds = options.matchFilter(filter);
    for (const docId of docIds) transaction.deleteDocId(docId);
    return { deletedDocuments: docIds.length };
  } catch (error) {
    // In a mixed batch a wrong filter fails all of it.
    if (isMixed || !(error instanceof ApiError)) throw error;
    return { deletedDocuments: 0, error: { code: error.code, message: error.message } };
  }
}

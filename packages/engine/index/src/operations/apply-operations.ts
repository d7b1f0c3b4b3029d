import { ApiError, apiError, unreachable } from '@fossick/base';
import { externalIdOf, inferPrimaryKey, type JsonObject, parseDocument } from '@fossick/documents';
import { DocSet } from '@fossick/format';
import type { IndexTransaction } from '../transaction/index-transaction.js';
import type { ApplyOptions } from './apply-options.js';
import { DocumentPuts } from './document-puts.js';
import { editMatching } from './edit-documents.js';
import type { DocumentOperation, OperationOutcome, PayloadOperation } from './operation.js';

/**
 * Applies operations in order within one batch; returns one outcome for each. An operation that fails because of its
 * payload is undone and the others continue; any other failure is thrown and fails the batch. If a payload or an edit
 * is the only operation and fails, OperationRefused is thrown: the caller then just does not commit, and no undo log is
 * needed. Yields where the rows so far may be committed.
 */
export function* applyOperations(
  transaction: IndexTransaction,
  operations: readonly DocumentOperation[],
  options: ApplyOptions,
): Generator<void, OperationOutcome[]> {
  const isMixed = operations.some(isPayload);
  const outcomes: OperationOutcome[] = [];
  for (const [at, operation] of operations.entries()) {
    options.context.onProgress(isMixed ? 'computing document changes' : 'delete documents', 0, 1);
    options.context.onProgress('payload', at, operations.length);
    const isAlone = operations.length === 1;
    if (isPayload(operation)) outcomes.push(yield* applyPayload(transaction, operation, options, isAlone));
    else outcomes.push(applyOperation(transaction, operation, { ...options, isMixed, isAlone }));
  }
  return outcomes;
}

function isPayload(operation: DocumentOperation): operation is DocumentOperation & PayloadOperation {
  return operation.kind === 'replace' || operation.kind === 'update';
}

function applyOperation(
  transaction: IndexTransaction,
  operation: Exclude<DocumentOperation, PayloadOperation>,
  options: ApplyOptions & { readonly isMixed: boolean; readonly isAlone: boolean },
): OperationOutcome {
  const { isMixed, isAlone } = options;
  switch (operation.kind) {
    case 'deleteIds':
      return { deletedDocuments: deleteIds(transaction, operation.ids, options) };
    case 'deleteFilter':
      return deleteMatching(transaction, operation.filter, isMixed, options);
    case 'clear':
      return { deletedDocuments: transaction.clear() };
    case 'edit':
      return refusedWhenAlone(editMatching(transaction, operation, options, isAlone), isAlone);
    default:
      return unreachable(operation);
  }
}

function refusedWhenAlone(outcome: OperationOutcome, isAlone: boolean): OperationOutcome {
  if (isAlone && outcome.error !== undefined) throw new OperationRefused(outcome);
  return outcome;
}

/** The only operation of a batch failed, and nothing of it is to be committed. */
export class OperationRefused extends Error {
  readonly outcome: OperationOutcome;

  constructor(outcome: OperationOutcome) {
    super(outcome.error?.message);
    this.outcome = outcome;
  }
}

function* applyPayload(
  transaction: IndexTransaction,
  operation: PayloadOperation,
  options: ApplyOptions,
  isAlone: boolean,
): Generator<void, OperationOutcome> {
  if (!isAlone) transaction.begin();
  try {
    return { indexedDocuments: yield* storePayload(transaction, operation, options) };
  } catch (error) {
    if (!(error instanceof ApiError) || !PAYLOAD_CODES.has(error.code)) throw error;
    const outcome = { indexedDocuments: 0, error: { code: error.code, message: error.message } };
    if (isAlone) throw new OperationRefused(outcome);
    transaction.rollback();
    return outcome;
  } finally {
    transaction.release();
  }
}

/** Errors of a payload, which fail only their own operation. */
const PAYLOAD_CODES: ReadonlySet<string> = new Set([
  'index_primary_key_no_candidate_found',
  'index_primary_key_multiple_candidates_found',
  'index_primary_key_already_exists',
  'missing_document_id',
  'invalid_document_id',
  'malformed_payload',
  'internal',
]);

/** Documents stored between two checks for cancelation. */
const LINES_PER_REPORT = 256;

/** Returns the number of distinct ids in the payload. */
function* storePayload(
  transaction: IndexTransaction,
  operation: PayloadOperation,
  { context, vectorMaker, linesOf }: ApplyOptions,
): Generator<void, number> {
  if (operation.primaryKey !== null) adoptPrimaryKey(transaction, operation.primaryKey);
  const stored = new DocSet();
  const skipped = new Set<string>();
  const { skipCreation, areStored = false } = operation;
  const mode = { merge: operation.kind === 'update', skipCreation, isStored: areStored };
  const puts = new DocumentPuts(transaction, vectorMaker, context);
  let lineCount = 0;
  try {
    for (const line of linesOf(operation.payloadFile)) {
      lineCount += 1;
      const document = parseLine(line, lineCount);
      const primaryKey = transaction.primaryKey ?? adoptPrimaryKey(transaction, inferPrimaryKey(document));
      const externalId = externalIdOf(document, primaryKey);
      const isTaken = puts.put(externalId, document, mode, (docId) => stored.add(docId));
      if (!isTaken) skipped.add(externalId);
      if (lineCount % LINES_PER_REPORT === 0) {
        transaction.checkCanceled();
        context.onProgress('document', lineCount, operation.documentCount ?? lineCount);
      }
      if (transaction.isCommitDue) yield;
    }
    puts.flush();
  } finally {
    puts.close();
  }
  return stored.count + skipped.size;
}

function parseLine(line: string, lineNumber: number): JsonObject {
  try {
    return parseDocument(line);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw apiError('malformed_payload', 'unreadableDocument', lineNumber, reason);
  }
}

function adoptPrimaryKey(transaction: IndexTransaction, primaryKey: string): string {
  if (transaction.primaryKey !== null && transaction.primaryKey !== primaryKey) {
    throw apiError('index_primary_key_already_exists', 'alreadySet', transaction.primaryKey, primaryKey);
  }
  transaction.primaryKey = primaryKey;
  // The primary key is the first field of its index.
  transaction.fields.add(primaryKey);
  return primaryKey;
}

/** In a batch that also adds documents the count is of distinct ids given, else of documents removed. */
function deleteIds(
  transaction: IndexTransaction,
  ids: Iterable<string>,
  { context, isMixed }: ApplyOptions & { readonly isMixed: boolean },
): number {
  let [seenCount, deletedCount] = [0, 0];
  for (const id of ids) {
    if (transaction.deleteDocument(id)) deletedCount += 1;
    seenCount += 1;
    if (seenCount % LINES_PER_REPORT !== 0) continue;
    transaction.checkCanceled();
    context.onProgress('document', seenCount, seenCount);
  }
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
    // In a mixed batch an invalid filter fails the whole batch.
    if (isMixed || !(error instanceof ApiError)) throw error;
    return { deletedDocuments: 0, error: { code: error.code, message: error.message } };
  }
}

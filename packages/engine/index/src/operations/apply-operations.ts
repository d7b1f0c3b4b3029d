import { ApiError, apiError, type DocIds, unreachable } from '@fossick/base';
import {
  type DeletionOperation,
  externalIdOf,
  inferPrimaryKey,
  type JsonObject,
  parseDocument,
} from '@fossick/documents';
import { DocSet } from '@fossick/format';
import { withCircuitBreaker } from '../embedding/circuit-breaker.js';
import type { IndexTransaction } from '../transaction/index-transaction.js';
import type { PutMode } from '../transaction/prepared-document.js';
import type { ApplyOptions } from './apply-options.js';
import { DocumentPuts } from './document-puts.js';
import { editMatching } from './edit-documents.js';
import { type DocumentPlace, FaultyDocuments, isOfOperation } from './faulty-documents.js';
import type { BatchOperation, OperationOutcome, PayloadOperation } from './operation.js';

/**
 * Applies operations in order within one batch; returns one outcome for each. An operation that fails because of what
 * it contains is undone, and the others continue as if it had not been there; any other failure is thrown and fails the
 * batch. A single one that fails is not undone: the caller just does not commit. Yields where the rows so far may be
 * committed.
 */
export function* applyOperations(
  transaction: IndexTransaction,
  operations: readonly BatchOperation[],
  options: ApplyOptions,
): Generator<void, OperationOutcome[]> {
  const isAlone = operations.length === 1;
  const { isMixed, vectorMaker: maker } = options;
  const vectorMaker = maker === undefined || isAlone ? maker : withCircuitBreaker(maker);
  const outcomes: OperationOutcome[] = [];
  for (const [at, operation] of operations.entries()) {
    options.context.onProgress(isMixed ? 'computing document changes' : 'delete documents', 0, 1);
    options.context.onProgress('payload', at, operations.length);
    // deletions fail, if they do, before they change anything
    if (!isAlone && operation.type !== 'documentDeletion') transaction.begin();
    try {
      outcomes.push(yield* applyOperation(transaction, operation, { ...options, vectorMaker }));
    } catch (error) {
      if (!isOfOperation(error)) throw error;
      outcomes.push({ ...noneOf(operation), error: { code: error.code, message: error.message } });
      transaction.rollback();
    } finally {
      transaction.release();
    }
  }
  return outcomes;
}

/** The counter of an operation that fails. */
function noneOf({ type }: BatchOperation): OperationOutcome {
  if (type === 'documentEdition') return { editedDocuments: 0 };
  return type === 'documentDeletion' ? { deletedDocuments: 0 } : { indexedDocuments: 0 };
}

function* applyOperation(
  transaction: IndexTransaction,
  operation: BatchOperation,
  options: ApplyOptions,
): Generator<void, OperationOutcome> {
  switch (operation.type) {
    case 'documentAdditionOrUpdate':
      return yield* storePayload(transaction, operation, options);
    case 'documentDeletion':
      return { deletedDocuments: deleteTargets(transaction, operation.target, options) };
    case 'documentEdition':
      return editMatching(transaction, operation, options);
    default:
      return unreachable(operation);
  }
}

/** Documents stored between two checks for cancelation. */
const LINES_PER_REPORT = 256;

/** The number of distinct ids in the payload, and the documents that were skipped. */
function* storePayload(
  transaction: IndexTransaction,
  operation: PayloadOperation,
  { context, vectorMaker, linesOf }: ApplyOptions,
): Generator<void, OperationOutcome> {
  if (operation.primaryKey !== null) adoptPrimaryKey(transaction, operation.primaryKey);
  const faulty = operation.onDocumentError === 'skip' ? new FaultyDocuments() : undefined;
  const puts = new DocumentPuts(transaction, vectorMaker, context, faulty !== undefined);
  const payload = new PayloadDocuments(transaction, operation, puts, faulty);
  let lineCount = 0;
  try {
    const lines = linesOf(operation.payloadFile);
    for (const line of faulty === undefined ? lines : faulty.lines(lines)) {
      lineCount += 1;
      if (faulty === undefined) payload.put(line, lineCount);
      else payload.putOrSkip(line, faulty);
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
  if (faulty === undefined) return { indexedDocuments: payload.idCount };
  // without a primary key nothing can be stored: that is a fault of the payload as a whole
  if (transaction.primaryKey === null && faulty.keyFault !== undefined) throw faulty.keyFault;
  return { indexedDocuments: payload.idCount, documentErrors: faulty.summary() };
}

/** Puts the documents of one payload into the index. */
class PayloadDocuments {
  private readonly transaction: IndexTransaction;
  private readonly puts: DocumentPuts;
  private readonly mode: PutMode;
  private readonly faulty: FaultyDocuments | undefined;
  private readonly stored = new DocSet();
  private readonly skipped = new Set<string>();
  /** Id of the document that is being put, once it is known. */
  private id: string | null = null;

  constructor(
    transaction: IndexTransaction,
    { method, skipCreation, areStored = false }: PayloadOperation,
    puts: DocumentPuts,
    faulty: FaultyDocuments | undefined,
  ) {
    this.transaction = transaction;
    this.puts = puts;
    this.faulty = faulty;
    this.mode = { merge: method === 'update', skipCreation, isStored: areStored };
  }

  /** Distinct ids of documents that were stored, or left out because they do not exist. */
  get idCount(): number {
    return this.stored.count + this.skipped.size;
  }

  /** Throws ApiError for a wrong document. */
  put(line: string, lineNumber: number): void {
    const { transaction } = this;
    const document = parseLine(line, lineNumber);
    const primaryKey = transaction.primaryKey ?? inferPrimaryKey(document);
    const externalId = externalIdOf(document, primaryKey);
    if (transaction.primaryKey === null) adoptPrimaryKey(transaction, primaryKey);
    this.id = externalId;
    const onFailed = this.onFailed({ id: externalId, line: lineNumber });
    const isTaken = this.puts.put(externalId, document, this.mode, (docId) => this.stored.add(docId), onFailed);
    if (!isTaken) this.skipped.add(externalId);
  }

  putOrSkip(line: string, faulty: FaultyDocuments): void {
    this.id = null;
    try {
      this.put(line, faulty.line);
    } catch (error) {
      faulty.note(error, { id: this.id, line: faulty.line });
    }
  }

  private onFailed(place: DocumentPlace): ((error: ApiError) => void) | undefined {
    const { faulty } = this;
    return faulty && ((error) => faulty.note(error, place));
  }
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

/** The number of documents removed. */
function deleteTargets(
  transaction: IndexTransaction,
  target: DeletionOperation['target'],
  options: ApplyOptions,
): number {
  switch (target.by) {
    case 'ids':
      return deleteIds(transaction, target.ids, options);
    case 'idFile':
      return deleteIds(transaction, options.linesOf(target.payloadFile), options, (line) => JSON.parse(line) as string);
    case 'filter':
      return deleteAll(transaction, options.matchFilter(target.filter));
    case 'expiry':
      return deleteAll(transaction, options.matchExpired(target.untilMs));
    case 'all':
      return transaction.clear();
    default:
      return unreachable(target);
  }
}

/** In a batch that also adds documents the count is of distinct ids given, as in the reference, else of documents removed. */
function deleteIds(
  transaction: IndexTransaction,
  items: Iterable<string>,
  { context, isMixed }: ApplyOptions,
  idOf: (item: string) => string = (id) => id,
): number {
  const distinct = new Set<string>();
  let [seenCount, deletedCount] = [0, 0];
  for (const item of items) {
    const id = idOf(item);
    if (isMixed) distinct.add(id);
    if (transaction.deleteDocument(id)) deletedCount += 1;
    seenCount += 1;
    if (seenCount % LINES_PER_REPORT !== 0) continue;
    transaction.checkCanceled();
    context.onProgress('document', seenCount, seenCount);
  }
  return isMixed ? distinct.size : deletedCount;
}

function deleteAll(transaction: IndexTransaction, docIds: DocIds): number {
  for (const docId of docIds) transaction.deleteDocId(docId);
  return docIds.length;
}

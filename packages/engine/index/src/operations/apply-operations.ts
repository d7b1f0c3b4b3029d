import { ApiError, apiError, type DocIds, unreachable } from '@fossick/base';
import { externalIdOf, inferPrimaryKey, type JsonObject, parseDocument } from '@fossick/documents';
import { DocSet } from '@fossick/format';
import { patientMaker } from '../embedding/patient-maker.js';
import type { IndexTransaction } from '../transaction/index-transaction.js';
import type { PutMode } from '../transaction/prepared-document.js';
import type { ApplyOptions } from './apply-options.js';
import { DocumentPuts } from './document-puts.js';
import { editMatching } from './edit-documents.js';
import { type DocumentPlace, FaultyDocuments, isOfOperation } from './faulty-documents.js';
import type { DocumentOperation, OperationOutcome, PayloadOperation } from './operation.js';

/**
 * Applies operations in order within one batch; returns one outcome for each. An operation that fails because of what
 * it contains is undone, and the others continue as if it had not been there; any other failure is thrown and fails the
 * batch. A single one that fails is not undone: the caller just does not commit. Yields where the rows so far may be
 * committed.
 */
export function* applyOperations(
  transaction: IndexTransaction,
  operations: readonly DocumentOperation[],
  options: ApplyOptions,
): Generator<void, OperationOutcome[]> {
  const isMixed = operations.some(isPayload);
  const isAlone = operations.length === 1;
  const { vectorMaker: maker } = options;
  const vectorMaker = maker === undefined || isAlone ? maker : patientMaker(maker);
  const outcomes: OperationOutcome[] = [];
  for (const [at, operation] of operations.entries()) {
    options.context.onProgress(isMixed ? 'computing document changes' : 'delete documents', 0, 1);
    options.context.onProgress('payload', at, operations.length);
    // deletions fail, if they do, before they change anything
    if (!isAlone && (isPayload(operation) || operation.kind === 'edit')) transaction.begin();
    try {
      outcomes.push(yield* applyOperation(transaction, operation, { ...options, isMixed, vectorMaker }));
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
function noneOf({ kind }: DocumentOperation): OperationOutcome {
  if (kind === 'edit') return { editedDocuments: 0 };
  return kind === 'replace' || kind === 'update' ? { indexedDocuments: 0 } : { deletedDocuments: 0 };
}

function isPayload(operation: DocumentOperation): operation is DocumentOperation & PayloadOperation {
  return operation.kind === 'replace' || operation.kind === 'update';
}

function* applyOperation(
  transaction: IndexTransaction,
  operation: DocumentOperation,
  options: ApplyOptions & { readonly isMixed: boolean },
): Generator<void, OperationOutcome> {
  switch (operation.kind) {
    case 'replace':
    case 'update':
      return yield* storePayload(transaction, operation, options);
    case 'deleteIds':
      return { deletedDocuments: deleteIds(transaction, operation.ids, options) };
    case 'deleteFilter':
      return deleteAll(transaction, options.matchFilter(operation.filter));
    case 'deleteExpired':
      return deleteAll(transaction, options.matchExpired(operation.untilMs));
    case 'clear':
      return { deletedDocuments: transaction.clear() };
    case 'edit':
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
  const faulty = operation.skipsFaulty === true ? new FaultyDocuments() : undefined;
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
    { kind, skipCreation, areStored = false }: PayloadOperation,
    puts: DocumentPuts,
    faulty: FaultyDocuments | undefined,
  ) {
    this.transaction = transaction;
    this.puts = puts;
    this.faulty = faulty;
    this.mode = { merge: kind === 'update', skipCreation, isStored: areStored };
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

function deleteAll(transaction: IndexTransaction, docIds: DocIds): OperationOutcome {
  for (const docId of docIds) transaction.deleteDocId(docId);
  return { deletedDocuments: docIds.length };
}

import { ApiError, apiError, type DocId } from '@fossick/base';
import { type EditionOperation, externalIdOf, type JsonObject } from '@fossick/documents';
import { compileEditFunction, type EditFunction } from '@fossick/edit-script';
import type { IndexTransaction } from '../transaction/index-transaction.js';
import type { ApplyOptions } from './apply-options.js';
import { DocumentPuts } from './document-puts.js';
import { FaultyDocuments } from './faulty-documents.js';
import type { OperationOutcome } from './operation.js';

/**
 * Time limit for all documents of a task, in milliseconds: nothing else is written meanwhile. A million documents take
 * a minute or two.
 */
const TASK_MS_MAX = 30 * 60_000;

/** The function took too long over all documents, which no document alone is to blame for. */
class TooLong extends ApiError {
  constructor() {
    const { code, message } = apiError('edit_documents_by_function_error', 'tooLong', TASK_MS_MAX / 60_000);
    super(code, message);
  }
}

/**
 * Runs the function on every matching document. Either all of them change or none: it throws ApiError for the first
 * failure, and the caller undoes the changes. Where the operation skips, a document on which it fails stays as it is, and is
 * reported. As in the reference, both counters are the number of documents visited, here without those.
 */
export function editMatching(
  transaction: IndexTransaction,
  { function: source, filter, context, onDocumentError }: EditionOperation,
  options: ApplyOptions,
): OperationOutcome {
  const docIds = isEmptyFilter(filter) ? transaction.liveDocIds() : options.matchFilter(filter);
  const startedAt = performance.now();
  const faulty = onDocumentError === 'skip' ? new FaultyDocuments() : undefined;
  let at = 0;
  // also within a document, because one alone may take seconds
  const report = (): void => {
    transaction.checkCanceled();
    options.context.onProgress('computing document changes', at, docIds.length);
    if (performance.now() - startedAt > TASK_MS_MAX) throw new TooLong();
  };
  const edit = compileEditFunction(source, context, report);
  const puts = new DocumentPuts(transaction, options.vectorMaker, options.context, faulty !== undefined);
  try {
    for (const docId of docIds) {
      editDocument(transaction, docId, edit, puts, faulty);
      if ((++at & 255) === 0) report();
    }
    ofFunction('', () => puts.flush());
  } finally {
    puts.close();
  }
  const count = docIds.length - (faulty?.count ?? 0);
  const outcome = { editedDocuments: count, deletedDocuments: count };
  return faulty === undefined ? outcome : { ...outcome, documentErrors: faulty.summary() };
}

const REPLACING = { merge: false, skipCreation: false };

function editDocument(
  transaction: IndexTransaction,
  docId: DocId,
  edit: EditFunction,
  puts: DocumentPuts,
  faulty: FaultyDocuments | undefined,
): void {
  const document = transaction.document(docId);
  const { primaryKey } = transaction;
  if (document === undefined || primaryKey === null) return;
  const externalId = externalIdOf(document, primaryKey);
  const place = { id: externalId, line: null };
  try {
    const edited = edit(document);
    if (edited === null) transaction.deleteDocId(docId);
    else if (keyTextOf(edited, primaryKey) !== externalId)
      throw apiError('edit_documents_by_function_error', 'changedPrimaryKey', primaryKey, externalId);
    else {
      const onFailed = faulty && ((error: ApiError) => faulty.note(error, place));
      ofFunction(externalId, () => puts.put(externalId, edited, REPLACING, undefined, onFailed));
    }
  } catch (error) {
    if (faulty === undefined || error instanceof TooLong) throw error;
    faulty.note(error, place);
  }
}

/** Here a document that cannot be stored is an error of the function, not of a payload. */
function ofFunction(externalId: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'malformed_payload') throw error;
    throw apiError('edit_documents_by_function_error', 'notStored', externalId, error.message);
  }
}

/** The external id of a document, or undefined when it has no valid one. */
function keyTextOf(document: JsonObject, primaryKey: string): string | undefined {
  try {
    return externalIdOf(document, primaryKey);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Whether the filter matches every document. */
function isEmptyFilter(filter: unknown): boolean {
  if (Array.isArray(filter)) return filter.every(isEmptyFilter);
  return filter === null || filter === undefined || (typeof filter === 'string' && filter.trim() === '');
}

import { ApiError, apiError, type DocId } from '@fossick/base';
import { externalIdOf, type JsonObject } from '@fossick/documents';
import { compileEditFunction, type EditFunction } from '@fossick/edit-script';
import type { IndexTransaction } from '../transaction/index-transaction.js';
import type { ApplyOptions } from './apply-options.js';
import { DocumentPuts } from './document-puts.js';
import type { DocumentOperation, OperationOutcome } from './operation.js';

/**
 * Time limit for all documents of a task, in milliseconds: nothing else is written meanwhile. A million documents take
 * a minute or two.
 */
const TASK_MS_MAX = 30 * 60_000;

/**
 * Runs the function on every matching document. Either all of them change or none: the first failure fails the
 * operation, whose changes are undone, unless it `isAlone`: then nothing is committed. As in the reference, both
 * counters are the number of documents visited.
 */
export function editMatching(
  transaction: IndexTransaction,
  { function: source, filter, context }: Extract<DocumentOperation, { kind: 'edit' }>,
  options: ApplyOptions,
  isAlone: boolean,
): OperationOutcome {
  if (!isAlone) transaction.begin();
  try {
    const docIds = isEmptyFilter(filter) ? transaction.liveDocIds() : options.matchFilter(filter);
    const startedAt = performance.now();
    let at = 0;
    // also within a document, because one alone may take seconds
    const report = (): void => {
      transaction.checkCanceled();
      options.context.onProgress('computing document changes', at, docIds.length);
      if (performance.now() - startedAt > TASK_MS_MAX)
        throw apiError('edit_documents_by_function_error', 'tooLong', TASK_MS_MAX / 60_000);
    };
    const edit = compileEditFunction(source, context, report);
    const puts = new DocumentPuts(transaction, options.vectorMaker, options.context);
    try {
      for (const docId of docIds) {
        editDocument(transaction, docId, edit, puts);
        if ((++at & 255) === 0) report();
      }
      ofFunction('', () => puts.flush());
    } finally {
      puts.close();
    }
    return { editedDocuments: docIds.length, deletedDocuments: docIds.length };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    transaction.rollback();
    return { editedDocuments: 0, error: { code: error.code, message: error.message } };
  } finally {
    transaction.release();
  }
}

const REPLACING = { merge: false, skipCreation: false };

function editDocument(transaction: IndexTransaction, docId: DocId, edit: EditFunction, puts: DocumentPuts): void {
  const document = transaction.document(docId);
  const { primaryKey } = transaction;
  if (document === undefined || primaryKey === null) return;
  const externalId = externalIdOf(document, primaryKey);
  const edited = edit(document);
  if (edited === null) transaction.deleteDocId(docId);
  else if (keyTextOf(edited, primaryKey) !== externalId)
    throw apiError('edit_documents_by_function_error', 'changedPrimaryKey', primaryKey, externalId);
  else ofFunction(externalId, () => puts.put(externalId, edited, REPLACING));
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

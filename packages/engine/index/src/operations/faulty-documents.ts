import { ApiError, describeError, type ErrorCode } from '@fossick/base';
import { type DocumentErrorSummary, DocumentErrors, payloadItems } from '@fossick/documents/document-errors';

/** Errors that say that one document is wrong: the others can be stored without it. */
const DOCUMENT_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'malformed_payload',
  'missing_document_id',
  'invalid_document_id',
  'invalid_document_fields',
  'invalid_document_geo_field',
  'invalid_document_geojson_field',
  'invalid_vectors_type',
  'invalid_vector_dimensions',
  'too_many_vectors',
  'vector_embedding_error',
  'max_fields_limit_exceeded',
  'index_primary_key_no_candidate_found',
  'index_primary_key_multiple_candidates_found',
  'edit_documents_by_function_error',
]);
/** Errors of documents from which no primary key can be inferred. */
const KEY_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'index_primary_key_no_candidate_found',
  'index_primary_key_multiple_candidates_found',
]);

/**
 * Whether an error is about what one operation contains, so that the others of its batch can be done without it: its
 * documents, its filter, its function, its primary key, its payload that is lost. Others are about the system.
 */
export function isOfOperation(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { type } = describeError(error.code);
  return error.code === 'internal' || (type !== 'internal' && type !== 'system');
}

/** Which document an error is about. */
export interface DocumentPlace {
  readonly id: string | null;
  readonly line: number | null;
}

/** The documents that an operation skips, with their errors. */
export class FaultyDocuments {
  private readonly errors = new DocumentErrors();
  private firstKeyFault: ApiError | undefined;
  /** The place in the payload of the line that `lines` gave last. */
  line = 0;

  /** The error of the first document from which no primary key could be inferred. */
  get keyFault(): ApiError | undefined {
    return this.firstKeyFault;
  }

  get count(): number {
    return this.errors.count;
  }

  /** The documents of the lines of a payload; those that were refused when it was received are noted on the way. */
  *lines(lines: Iterable<string>): Generator<string> {
    for (const item of payloadItems(lines)) {
      if (item.kind === 'document') {
        this.line = item.place;
        yield item.line;
      } else if (item.kind === 'more') this.errors.addUnlisted(item.count);
      else if (item.kind === 'refused')
        this.errors.add({ id: null, line: item.place, code: item.code, reason: item.message });
    }
  }

  /** Notes why a document is skipped. Throws the error itself when it is about more than one document. */
  note(error: unknown, { id, line }: DocumentPlace): void {
    if (!(error instanceof ApiError) || !DOCUMENT_CODES.has(error.code)) throw error;
    if (KEY_CODES.has(error.code)) this.firstKeyFault ??= error;
    this.errors.add({ id, line, code: error.code, reason: error.message });
  }

  summary(): DocumentErrorSummary {
    return this.errors.summary();
  }
}

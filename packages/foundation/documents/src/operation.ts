import type { Json } from '@fossick/base';

/** One change of the documents of an index: as the log of tasks stores it and as the writer of the index does it. */
export type DocumentOperation = AdditionOperation | EditionOperation | DeletionOperation;

export interface AdditionOperation {
  readonly type: 'documentAdditionOrUpdate';
  readonly method: 'replace' | 'update';
  readonly primaryKey: string | null;
  /** NDJSON, checked to parse as objects; it may have marks of documents that were refused when it was received. */
  readonly payloadFile: string;
  /** Lines of the payload, used only for progress. */
  readonly documentCount?: number;
  /** Only existing documents are changed. */
  readonly skipCreation: boolean;
  /** A faulty document is left out instead of failing the operation. */
  readonly onDocumentError?: 'skip';
}

/** A function changes the documents that match a filter, or all. */
export interface EditionOperation {
  readonly type: 'documentEdition';
  readonly function: string;
  readonly filter: Json;
  readonly context: Json;
  /** A document on which the function fails stays as it is, instead of failing the operation. */
  readonly onDocumentError?: 'skip';
}

export interface DeletionOperation {
  readonly type: 'documentDeletion';
  readonly target:
    | { readonly by: 'ids'; readonly ids: readonly string[] }
    | IdFile
    | { readonly by: 'filter'; readonly filter: Json }
    | { readonly by: 'all' }
    /** Documents that have expired by then, in milliseconds since 1970; the server registers it by itself. */
    | { readonly by: 'expiry'; readonly untilMs: number };
}

/** A file of ids that are too many for a row of the log, which every listing of tasks would read. */
export interface IdFile {
  readonly by: 'idFile';
  /** JSON strings, one a line; removed when the task ends. */
  readonly payloadFile: string;
  readonly payloadBytes: number;
  readonly idCount: number;
}

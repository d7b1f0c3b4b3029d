import type { DocId } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';

/** How a document is stored under its id. */
export interface PutMode {
  /** Fields of the stored document that the new one lacks stay. */
  readonly merge: boolean;
  /** A document without a stored version is skipped. */
  readonly skipCreation: boolean;
  /** The document was accepted by an index with these settings before: its vectors are not compared with them. */
  readonly isStored?: boolean;
}

/** A document ready to be stored: checked, and merged with the stored version. */
export interface PreparedDocument {
  readonly externalId: string;
  /** Docid and row of the stored version. */
  readonly known: DocId | undefined;
  readonly before: Uint8Array | undefined;
  readonly whole: JsonObject;
}

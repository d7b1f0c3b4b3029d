import type { DocId } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';

/** A document ready to be stored: checked, and merged with the stored version. */
export interface PreparedDocument {
  readonly externalId: string;
  /** Docid and row of the stored version. */
  readonly known: DocId | undefined;
  readonly before: Uint8Array | undefined;
  readonly whole: JsonObject;
}

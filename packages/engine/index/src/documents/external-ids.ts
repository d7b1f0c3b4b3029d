import { type DocId, MAX_DOCUMENT_ID_BYTES } from '@fossick/base';
import { documentKey, externalIdKey, type RowSink, TABLES } from '@fossick/format';

/** New ids are buffered up to this number and written in key order, so that database pages fill from left to right. */
const PENDING_MAX = 50_000;

/** The rows external id -> docid of an index, as an open transaction sees them. */
export class ExternalIds {
  private readonly rows: RowSink;
  private mayHaveRows: boolean;
  private readonly pending = new Map<string, DocId>();

  /**
   * @param rows the rows of the currently open transaction
   * @param mayHaveRows false only when the table is known to be empty, which saves every look-up
   */
  constructor(rows: RowSink, mayHaveRows: boolean) {
    this.rows = rows;
    this.mayHaveRows = mayHaveRows;
  }

  get(externalId: string): DocId | undefined {
    const pending = this.pending.get(externalId);
    if (pending !== undefined || !this.mayHaveRows) return pending;
    // no document has an id of this length, and a store's keys cannot be as long
    if (externalId.length > MAX_DOCUMENT_ID_BYTES) return undefined;
    const bytes = this.rows.get(TABLES.ids, externalIdKey(externalId));
    return bytes === undefined ? undefined : (new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) as DocId);
  }

  set(externalId: string, docId: DocId): void {
    this.pending.set(externalId, docId);
    if (this.pending.size >= PENDING_MAX) this.write();
  }

  delete(externalId: string): void {
    if (!this.pending.delete(externalId)) this.rows.delete(TABLES.ids, externalIdKey(externalId));
  }

  clear(): void {
    this.pending.clear();
    this.rows.clear(TABLES.ids);
    this.mayHaveRows = false;
  }

  /** Writes the buffered ids. */
  write(): void {
    for (const externalId of [...this.pending.keys()].sort()) {
      this.rows.put(TABLES.ids, externalIdKey(externalId), documentKey(this.pending.get(externalId)!));
      this.mayHaveRows = true;
    }
    this.pending.clear();
  }
}

import type { RowSink } from './rows.js';

/** The rows of the currently open transaction, for work that spans several. */
export class CurrentRows implements RowSink {
  private open: RowSink | undefined;

  /** Switches to the rows of another transaction; undefined: no transaction is open. */
  continueWith(rows: RowSink | undefined): void {
    this.open = rows;
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.rows.get(table, key);
  }
  put(table: string, key: Uint8Array, value: Uint8Array): void {
    this.rows.put(table, key, value);
  }
  delete(table: string, key: Uint8Array): void {
    this.rows.delete(table, key);
  }
  deleteRange(table: string, start: Uint8Array, end: Uint8Array, limit?: number): number {
    return this.rows.deleteRange(table, start, end, limit);
  }
  clear(table: string): void {
    this.rows.clear(table);
  }

  private get rows(): RowSink {
    if (this.open === undefined) throw new Error('no transaction is open');
    return this.open;
  }
}

import { readU32, type Table, u32Key, type WriteTransaction } from '@fossick/storage';
import { packedBatch, packedContent, unpackedContent } from '../task/long-contents.js';
import type { Batch, Task } from '../task/task.js';
import {
  ALL_BATCHES,
  type ColumnName,
  type Counter,
  columnKey,
  columnNames,
  metaKey,
  packr,
  ROWS_PER_CHUNK,
  setKey,
  setNamesOf,
  tableNames,
} from './layout.js';
import { loadedTask, storedTask } from './payload-name.js';
import { emptyChunk, isZero, setBit, UIDS_PER_CHUNK } from './uid-set.js';

interface Piece {
  readonly table: string;
  readonly key: Uint8Array;
  readonly bytes: Uint8Array;
}

/**
 * Edits of the log inside one transaction. Pieces of sets and columns are changed in memory and written once, by
 * `flush`.
 */
export class LogWrites {
  private readonly txn: WriteTransaction;
  private readonly payloadFolder: string | null;
  private readonly pieces = new Map<string, Piece>();

  constructor(txn: WriteTransaction, payloadFolder: string | null = null) {
    this.txn = txn;
    this.payloadFolder = payloadFolder;
  }

  /** The next uid of a counter, used up when the transaction commits. */
  takeUid(counter: Counter): number {
    const uid = this.counter(counter);
    this.txn.put(tableNames.meta, metaKey(counter), u32Key(uid + 1));
    return uid;
  }

  /** Raises the counter so that its next uid is at least `uid`: smaller ones were assigned elsewhere. */
  skipTo(counter: Counter, uid: number): void {
    if (uid > this.counter(counter)) this.txn.put(tableNames.meta, metaKey(counter), u32Key(uid));
  }

  task(uid: number): Task | undefined {
    const stored = this.txn.get(tableNames.tasks, u32Key(uid));
    return stored === undefined ? undefined : unpackedTask(stored, this.payloadFolder);
  }

  /** Writes a task and updates the sets that it is a member of. */
  putTask(task: Task): void {
    const before = this.task(task.uid);
    const names = setNamesOf(task);
    for (const name of before === undefined ? [] : setNamesOf(before)) {
      if (!names.includes(name)) this.mark(name, task.uid, false);
    }
    for (const name of names) this.mark(name, task.uid, true);
    for (const column of columnNames) this.setColumn(column, task.uid, task[column]);
    const stored = this.payloadFolder === null ? task : storedTask(task);
    const content = packedContent(stored.content);
    this.txn.put(tableNames.tasks, u32Key(task.uid), packr.pack({ ...stored, content }));
  }

  deleteTask(task: Task): void {
    for (const name of setNamesOf(task)) this.mark(name, task.uid, false);
    for (const column of columnNames) this.setColumn(column, task.uid, null);
    this.txn.delete(tableNames.tasks, u32Key(task.uid));
  }

  /** Writes a batch. Its uid is used up. */
  putBatch(batch: Batch): void {
    if (batch.uid >= this.counter('next-batch')) {
      this.txn.put(tableNames.meta, metaKey('next-batch'), u32Key(batch.uid + 1));
    }
    this.mark(ALL_BATCHES, batch.uid, true);
    this.txn.put(tableNames.batches, u32Key(batch.uid), packr.pack(packedBatch(batch)));
  }

  deleteBatch(uid: number): void {
    this.mark(ALL_BATCHES, uid, false);
    this.txn.delete(tableNames.batches, u32Key(uid));
  }

  flush(): void {
    for (const { table, key, bytes } of this.pieces.values()) {
      if (table === tableNames.sets && isZero(bytes)) this.txn.delete(table, key);
      else this.txn.put(table, key, bytes);
    }
  }

  private counter(name: Counter): number {
    return readCounter({ get: (key) => this.txn.get(tableNames.meta, key) }, name);
  }

  private mark(name: string, uid: number, isMember: boolean): void {
    const chunk = Math.floor(uid / UIDS_PER_CHUNK);
    const piece = this.piece(`${name}\0${chunk}`, tableNames.sets, () => setKey(name, chunk), emptyChunk);
    setBit(piece.bytes, uid % UIDS_PER_CHUNK, isMember);
  }

  private setColumn(column: ColumnName, uid: number, value: number | null): void {
    const chunk = Math.floor(uid / ROWS_PER_CHUNK);
    const id = `column ${column}\0${chunk}`;
    // A column without an entry here already reads as null: a new task has one number of five.
    const isKnown = value !== null || this.pieces.has(id);
    if (!isKnown && this.txn.get(tableNames.columns, columnKey(column, chunk)) === undefined) return;
    const piece = this.piece(id, tableNames.columns, () => columnKey(column, chunk), emptyColumn);
    new DataView(piece.bytes.buffer, piece.bytes.byteOffset).setFloat64(
      (uid % ROWS_PER_CHUNK) * 8,
      value ?? Number.NaN,
    );
  }

  private piece(id: string, table: string, keyOf: () => Uint8Array, empty: () => Uint8Array): Piece {
    let piece = this.pieces.get(id);
    if (piece === undefined) {
      const key = keyOf();
      piece = { table, key, bytes: this.txn.get(table, key) ?? empty() };
      this.pieces.set(id, piece);
    }
    return piece;
  }
}

/** The task in a row. */
export function unpackedTask(row: Uint8Array, payloadFolder: string | null): Task {
  const task = packr.unpack(row) as Task;
  return loadedTask({ ...task, content: unpackedContent(task.content) }, payloadFolder);
}

/** The next uid of a counter. `meta`: the table of that name. */
export function readCounter(meta: Pick<Table, 'get'>, counter: Counter): number {
  const stored = meta.get(metaKey(counter));
  return stored === undefined ? 0 : readU32(stored);
}

function emptyColumn(): Uint8Array {
  const bytes = new Uint8Array(ROWS_PER_CHUNK * 8);
  const view = new DataView(bytes.buffer);
  for (let row = 0; row < ROWS_PER_CHUNK; row += 1) view.setFloat64(row * 8, Number.NaN);
  return bytes;
}

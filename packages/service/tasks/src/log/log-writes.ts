import { readU32, type Table, u32Key, type WriteTransaction } from '@fossick/storage';
import { skipsFaulty } from '../task/content.js';
import { packedBatch, packedContent, unpackedBatch, unpackedContent } from '../task/long-contents.js';
import type { Batch, Micros, Task } from '../task/task.js';
import type { TaskFinder } from './filters.js';
import { BatchRenames, withNames } from './history-names.js';
import {
  ALL_BATCHES,
  ATTEMPT_KEY,
  type ColumnName,
  type Counter,
  columnKey,
  columnNames,
  errorKey,
  INDEX_PREFIX,
  metaKey,
  packr,
  ROWS_PER_CHUNK,
  SWAP_PREFIX,
  SWAP_SETS_KEY,
  setKey,
  setNamesOf,
  tableNames,
} from './layout.js';
import { loadedTask, storedTask } from './payload-name.js';
import type { AttemptNote, LogOperation, TaskChange, TaskEntry } from './records.js';
import { emptyChunk, isZero, setBit, UIDS_PER_CHUNK, UidSet } from './uid-set.js';

/** A piece of a set or column. */
interface Piece {
  readonly table: string;
  readonly name: string;
  readonly chunk: number;
  readonly key: Uint8Array;
  readonly bytes: Uint8Array;
}

/**
 * Edits of the log inside one transaction. Pieces of sets and columns are changed in memory and written once, by
 * `flush`.
 */
export class LogWrites {
  private readonly txn: WriteTransaction;
  private readonly finder: TaskFinder;
  private readonly payloadFolder: string | null;
  private readonly pieces = new Map<string, Piece>();

  /** `finder`: of the same store. */
  constructor(txn: WriteTransaction, finder: TaskFinder, payloadFolder: string | null) {
    this.txn = txn;
    this.finder = finder;
    this.payloadFolder = payloadFolder;
  }

  /** The next uid of a counter, used up when the transaction commits. */
  private takeUid(counter: Counter): number {
    const uid = this.counter(counter);
    this.txn.put(tableNames.meta, metaKey(counter), u32Key(uid + 1));
    return uid;
  }

  /** Raises the counter so that its next uid is at least `uid`: smaller ones were assigned elsewhere. */
  private skipTo(counter: Counter, uid: number): void {
    if (uid > this.counter(counter)) this.txn.put(tableNames.meta, metaKey(counter), u32Key(uid));
  }

  private task(uid: number): Task | undefined {
    const stored = this.txn.get(tableNames.tasks, u32Key(uid));
    return stored === undefined ? undefined : unpackedTask(stored, this.payloadFolder);
  }

  /** One edit. O(its tasks); for the history of names O(tasks / 8) bytes and the tasks of those indexes. */
  apply(operation: LogOperation): void {
    switch (operation.kind) {
      case 'putTask':
        return this.putTask(operation.task);
      case 'changeTasks':
        for (const uid of operation.uids) this.changeTask(uid, operation.change);
        return;
      case 'putErrors':
        return this.putErrors(operation.uid, operation.first, operation.pages);
      case 'deleteTasks':
        for (const uid of operation.uids) this.deleteTask(uid);
        return;
      case 'putBatch':
        return this.putBatch(operation.batch);
      case 'deleteBatches':
        for (const uid of operation.uids) this.deleteBatch(uid);
        return;
      case 'skipTo':
        return this.skipTo(operation.counter, operation.uid);
      case 'renameHistory':
        return this.renameHistory(new Map(operation.names), operation.before);
      case 'noteAttempt':
        return this.noteAttempt(operation.attempt);
    }
  }

  /** Registers a new task under the next uid. */
  addTask({ enqueuedAt, content, extras, payload }: TaskEntry): Task {
    const uid = this.takeUid('next-task');
    const task: Task = {
      uid,
      batchUid: null,
      content,
      status: 'enqueued',
      canceledBy: null,
      resultDetails: null,
      error: null,
      enqueuedAt: Math.max(enqueuedAt, this.enqueuedBefore(uid)),
      startedAt: null,
      finishedAt: null,
      ...(payload === undefined ? {} : { payloadInLog: true as const }),
      ...extras,
    };
    if (payload !== undefined) this.txn.put(tableNames.payloads, u32Key(uid), packr.pack(payload));
    this.putTask(task);
    return loadedTask(task, this.payloadFolder);
  }

  /** Writes a task and updates the sets that it is a member of. */
  private putTask(task: Task): void {
    this.write(task, this.task(task.uid));
  }

  private changeTask(uid: number, change: TaskChange): void {
    const before = this.task(uid);
    if (before === undefined) return;
    this.write({ ...before, ...change }, before);
  }

  private write(given: Task, before: Task | undefined): void {
    const task = given.payloadInLog === true && given.finishedAt !== null ? this.withoutPayload(given) : given;
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

  private deleteTask(uid: number): void {
    const task = this.task(uid);
    if (task === undefined) return;
    if (task.payloadInLog === true) this.withoutPayload(task);
    if (skipsFaulty(task.content)) this.deleteErrors(uid);
    for (const name of setNamesOf(task)) this.mark(name, uid, false);
    for (const column of columnNames) this.setColumn(column, uid, null);
    this.txn.delete(tableNames.tasks, u32Key(uid));
  }

  private putErrors(uid: number, first: number, pages: readonly Uint8Array[]): void {
    if (first === 0) this.deleteErrors(uid);
    for (const [at, bytes] of pages.entries()) this.txn.put(tableNames.errors, errorKey(uid, first + at), bytes);
  }

  /** Pages follow each other from 0 on. */
  private deleteErrors(uid: number): void {
    for (let page = 0; this.txn.get(tableNames.errors, errorKey(uid, page)) !== undefined; page += 1)
      this.txn.delete(tableNames.errors, errorKey(uid, page));
  }

  /** The task, whose payload nobody needs any more. */
  private withoutPayload({ payloadInLog: _, ...task }: Task): Task {
    this.txn.delete(tableNames.payloads, u32Key(task.uid));
    return task;
  }

  /** Writes a batch. Its uid is used up. */
  private putBatch(batch: Batch): void {
    if (batch.uid >= this.counter('next-batch')) {
      this.txn.put(tableNames.meta, metaKey('next-batch'), u32Key(batch.uid + 1));
    }
    this.mark(ALL_BATCHES, batch.uid, true);
    this.txn.put(tableNames.batches, u32Key(batch.uid), packr.pack(packedBatch(batch)));
  }

  private deleteBatch(uid: number): void {
    this.mark(ALL_BATCHES, uid, false);
    this.txn.delete(tableNames.batches, u32Key(uid));
  }

  /** Changes the index names of tasks older than the swap or rename, and those of their batches. */
  private renameHistory(names: ReadonlyMap<string, string>, before: number): void {
    const renames = new BatchRenames();
    for (const uid of this.uidsOf(INDEX_PREFIX, names.keys(), before)) {
      const task = this.task(uid);
      if (task === undefined || !('indexUid' in task.content)) continue;
      const { content } = task;
      const indexUid = names.get(content.indexUid);
      if (indexUid === undefined) continue;
      // The details of a rename keep the name that was requested, whatever the index is called later.
      const requested = content.type === 'indexUpdate' ? { askedUid: content.askedUid ?? content.indexUid } : {};
      this.write({ ...task, content: { ...content, ...requested, indexUid } }, task);
      renames.note(task.batchUid, [content.indexUid, indexUid]);
    }
    this.completeSwapSets();
    // a rename gives the former name to the index that had the new one, if a swap names it
    const exchanged = new Map([...[...names].map(([from, to]) => [to, from] as const), ...names]);
    for (const uid of this.uidsOf(SWAP_PREFIX, exchanged.keys(), before)) {
      const task = this.task(uid);
      if (task?.content.type !== 'indexSwap' || task.finishedAt === null) continue;
      this.write({ ...task, content: { ...task.content, swaps: withNames(task.content.swaps, exchanged) } }, task);
      renames.note(task.batchUid);
    }
    for (const uid of renames.uids) {
      const row = this.txn.get(tableNames.batches, u32Key(uid));
      if (row !== undefined) this.putBatch(renames.renamed(unpackedBatch(packr.unpack(row) as Batch), exchanged));
    }
  }

  /** Adds the swaps that an earlier release wrote to the sets of swaps. */
  private completeSwapSets(): void {
    if (this.txn.get(tableNames.meta, SWAP_SETS_KEY) !== undefined) return;
    this.txn.put(tableNames.meta, SWAP_SETS_KEY, u32Key(1));
    for (const uid of this.set('type:indexSwap').uids()) {
      const task = this.task(uid);
      if (task !== undefined) for (const name of setNamesOf(task)) this.mark(name, uid, true);
    }
  }

  /** Uids below `end` of the tasks of these indexes in sets of this kind, after the edits so far, ascending. */
  private uidsOf(prefix: string, indexUids: Iterable<string>, end: number): readonly number[] {
    const found = [...indexUids].reduce((all, uid) => all.union(this.set(`${prefix}${uid}`)), new UidSet());
    const uids: number[] = [];
    for (const uid of found.uids()) {
      if (uid >= end) break;
      uids.push(uid);
    }
    return uids;
  }

  /** A stored set, after the edits so far. */
  private set(name: string): UidSet {
    const set = this.finder.set(name);
    for (const piece of this.pieces.values()) if (piece.name === name) set.chunks.set(piece.chunk, piece.bytes);
    return set;
  }

  private noteAttempt(attempt: AttemptNote | null): void {
    if (attempt === null) this.txn.delete(tableNames.meta, ATTEMPT_KEY);
    else this.txn.put(tableNames.meta, ATTEMPT_KEY, packr.pack(attempt));
  }

  /** Writes the pieces that were changed. */
  flush(): void {
    for (const { table, key, bytes } of this.pieces.values()) {
      if (table === tableNames.sets && isZero(bytes)) this.txn.delete(table, key);
      else this.txn.put(table, key, bytes);
    }
  }

  private counter(name: Counter): number {
    return readCounter({ get: (key) => this.txn.get(tableNames.meta, key) }, name);
  }

  /** When the task before a new one was registered; 0 for none. */
  private enqueuedBefore(uid: number): Micros {
    if (uid === 0) return 0;
    const chunk = Math.floor((uid - 1) / ROWS_PER_CHUNK);
    // usually the piece that the new task is written to
    const isShared = uid % ROWS_PER_CHUNK !== 0;
    const key = (): Uint8Array => columnKey('enqueuedAt', chunk);
    const bytes = isShared
      ? this.piece(tableNames.columns, 'enqueuedAt', chunk, key, emptyColumn).bytes
      : (this.pieces.get(pieceId(tableNames.columns, 'enqueuedAt', chunk))?.bytes ??
        this.txn.get(tableNames.columns, key()));
    if (bytes === undefined) return 0;
    const at = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(((uid - 1) % ROWS_PER_CHUNK) * 8);
    return Number.isNaN(at) ? 0 : at;
  }

  private mark(name: string, uid: number, isMember: boolean): void {
    const chunk = Math.floor(uid / UIDS_PER_CHUNK);
    const piece = this.piece(tableNames.sets, name, chunk, () => setKey(name, chunk), emptyChunk);
    setBit(piece.bytes, uid % UIDS_PER_CHUNK, isMember);
  }

  private setColumn(column: ColumnName, uid: number, value: number | null): void {
    const chunk = Math.floor(uid / ROWS_PER_CHUNK);
    // A column without an entry here already reads as null: a new task has one number of five.
    const isKnown = value !== null || this.pieces.has(pieceId(tableNames.columns, column, chunk));
    if (!isKnown && this.txn.get(tableNames.columns, columnKey(column, chunk)) === undefined) return;
    const piece = this.piece(tableNames.columns, column, chunk, () => columnKey(column, chunk), emptyColumn);
    new DataView(piece.bytes.buffer, piece.bytes.byteOffset).setFloat64(
      (uid % ROWS_PER_CHUNK) * 8,
      value ?? Number.NaN,
    );
  }

  private piece(table: string, name: string, chunk: number, keyOf: () => Uint8Array, empty: () => Uint8Array): Piece {
    const id = pieceId(table, name, chunk);
    let piece = this.pieces.get(id);
    if (piece === undefined) {
      const key = keyOf();
      piece = { table, name, chunk, key, bytes: this.txn.get(table, key) ?? empty() };
      this.pieces.set(id, piece);
    }
    return piece;
  }
}

function pieceId(table: string, name: string, chunk: number): string {
  return `${table}\0${name}\0${chunk}`;
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

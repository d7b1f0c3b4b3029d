import { type DocId, joinedBytes, type SegmentId } from '@fossick/base';
import { DocSet } from '@fossick/format';

/** Bytes of rows kept in memory; more go to a file. */
const HELD_BYTES_MAX = 4 << 20;
/** Before each row: its docid and its length, u32 each. */
const HEAD_BYTES = 8;

/** A document as it was before the operation; without a row it did not exist. */
export interface DocumentBefore {
  readonly docId: DocId;
  readonly row: Uint8Array | undefined;
}

/** A temporary file for rows that do not fit in memory. */
export interface UndoFile {
  append(bytes: Uint8Array): void;
  /** A copy of `length` bytes that were appended. */
  read(from: number, length: number): Uint8Array;
  close(): void;
}

/**
 * The changes of an operation, for undoing them: the original row of each changed document. New documents are bits of a
 * set; rows beyond the memory limit go to a temporary file, which is opened when it is needed. Without one everything
 * stays in memory.
 */
export class UndoLog {
  private readonly openFile: (() => UndoFile) | undefined;
  private readonly bytesMax: number;
  private readonly known = new DocSet();
  private readonly created = new DocSet();
  private readonly allotted = new DocSet();
  private held: Uint8Array[] = [];
  private bytes = 0;
  private file: UndoFile | undefined;
  private fileBytes = 0;

  constructor(openFile: (() => UndoFile) | undefined, bytesMax = HELD_BYTES_MAX) {
    this.openFile = openFile;
    this.bytesMax = bytesMax;
  }

  /** Bytes of rows in memory. */
  get heldBytes(): number {
    return this.bytes;
  }

  /**
   * Notes the state of a document before a change; `isAllotted`: its docid was assigned for this change. Takes
   * ownership of the row. Throws with the system's `code` when the folder is full. O(bytes)
   */
  note(docId: DocId, row: Uint8Array | undefined, isAllotted: boolean): void {
    if (!this.known.add(docId)) return;
    if (isAllotted) this.allotted.add(docId);
    if (row === undefined) {
      this.created.add(docId);
      return;
    }
    const head = new Uint8Array(HEAD_BYTES);
    new DataView(head.buffer).setUint32(0, docId);
    new DataView(head.buffer).setUint32(4, row.length);
    this.held.push(head, row);
    this.bytes += HEAD_BYTES + row.length;
    if (this.openFile !== undefined && this.bytes >= this.bytesMax) this.spill(this.openFile);
  }

  isAllotted(docId: DocId): boolean {
    return this.allotted.has(docId);
  }

  /** Every noted document, once. A row is valid until the next one is requested. O(documents + bytes) */
  *documents(): Generator<DocumentBefore, void> {
    for (const docId of this.created.toArray()) yield { docId, row: undefined };
    yield* this.spilled();
    for (let at = 0; at < this.held.length; at += 2)
      yield { docId: headOf(this.held[at]!).docId, row: this.held[at + 1]! };
  }

  /** Forgets everything. */
  close(): void {
    for (const set of [this.known, this.created, this.allotted]) set.clear();
    this.held = [];
    this.bytes = 0;
    this.file?.close();
    this.file = undefined;
    this.fileBytes = 0;
  }

  private spill(openFile: () => UndoFile): void {
    this.file ??= openFile();
    this.file.append(joinedBytes(this.held));
    this.fileBytes += this.bytes;
    this.held = [];
    this.bytes = 0;
  }

  private *spilled(): Generator<DocumentBefore, void> {
    for (let at = 0; at < this.fileBytes; ) {
      const { docId, length } = headOf(this.file!.read(at, HEAD_BYTES));
      yield { docId, row: this.file!.read(at + HEAD_BYTES, length) };
      at += HEAD_BYTES + length;
    }
  }
}

function headOf(bytes: Uint8Array): { readonly docId: DocId; readonly length: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { docId: view.getUint32(0) as DocId, length: view.getUint32(4) };
}

/** The state that a failed operation is rolled back to. */
export interface Savepoint {
  readonly primaryKey: string | null;
  readonly fieldCount: number;
  readonly nextSegmentId: SegmentId;
  readonly log: UndoLog;
}

import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DocId } from '@fossick/base';
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

/**
 * The changes of an operation, for undoing them: the original row of each changed document. New documents are bits of a
 * set; rows beyond the memory limit go to an unlinked file in the folder, which vanishes with the process. Without a
 * folder everything stays in memory.
 */
export class UndoLog {
  private readonly folder: string | undefined;
  private readonly bytesMax: number;
  private readonly known = new DocSet();
  private readonly created = new DocSet();
  private readonly allotted = new DocSet();
  private held: Uint8Array[] = [];
  private bytes = 0;
  private file: number | undefined;
  private fileBytes = 0;

  constructor(folder: string | undefined, bytesMax = HELD_BYTES_MAX) {
    this.folder = folder;
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
    if (this.folder !== undefined && this.bytes >= this.bytesMax) this.spill(this.folder);
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
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.fileBytes = 0;
  }

  private spill(folder: string): void {
    this.file ??= namelessFile(folder);
    const piece = Buffer.concat(this.held);
    for (let at = 0; at < piece.length; ) {
      const written = writeSync(this.file, piece, at, piece.length - at, this.fileBytes);
      at += written;
      this.fileBytes += written;
    }
    this.held = [];
    this.bytes = 0;
  }

  private *spilled(): Generator<DocumentBefore, void> {
    for (let at = 0; at < this.fileBytes; ) {
      const { docId, length } = headOf(this.read(at, HEAD_BYTES));
      yield { docId, row: this.read(at + HEAD_BYTES, length) };
      at += HEAD_BYTES + length;
    }
  }

  private read(from: number, byteCount: number): Uint8Array {
    const bytes = new Uint8Array(byteCount);
    for (let at = 0; at < byteCount; ) {
      const count = readSync(this.file!, bytes, at, byteCount - at, from + at);
      if (count === 0) throw new Error('the file of what is to be undone ends too early');
      at += count;
    }
    return bytes;
  }
}

function headOf(bytes: Uint8Array): { readonly docId: DocId; readonly length: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { docId: view.getUint32(0) as DocId, length: view.getUint32(4) };
}

function namelessFile(folder: string): number {
  const path = join(folder, `undo-${process.pid}`);
  const file = openSync(path, 'w+');
  rmSync(path);
  return file;
}

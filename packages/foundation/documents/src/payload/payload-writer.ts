import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { faultPoint } from '@fossick/base';
import { flushNames } from '@fossick/base/durable-names';

/** Callers that add lines must flush from this many pending bytes on. */
export const FLUSH_BYTES = 256 * 1024;
const NEWLINE = Buffer.from('\n');
const dataFlushed = promisify(fdatasync);

/** A payload file; `bytes` is its length. */
export interface StoredPayload {
  readonly count: number;
  readonly bytes: number;
}

/** Writes lines to a file, which is created when there are many lines, or at the end. */
export class LineWriter {
  count = 0;
  pendingBytes = 0;
  private writtenBytes = 0;
  private pending: Buffer[] = [];
  /** Bytes of the file at the beginning of the line that is being written in pieces. */
  private lineStart = 0;
  /** The file is longer than `writtenBytes`: a part of a dropped line is in it. */
  private isCut = false;
  private readonly file: string;
  private handle: FileHandle | undefined;

  constructor(file: string) {
    this.file = file;
  }
  /** Bytes of all lines so far. */
  get bytes(): number {
    return this.writtenBytes + this.pendingBytes;
  }
  add(line: Buffer): void {
    this.pending.push(line, NEWLINE);
    this.pendingBytes += line.length + 1;
    this.count++;
  }
  /** Adds a part of a line. */
  addPiece(piece: Buffer): void {
    this.pending.push(piece);
    this.pendingBytes += piece.length;
  }
  endLine(): void {
    this.addPiece(NEWLINE);
    this.count++;
  }
  /** Notes that a line begins that is written in pieces and may be dropped. */
  beginLine(): void {
    this.lineStart = this.bytes;
  }
  /** Removes the pieces since `beginLine`. */
  dropLine(): void {
    const keptBytes = this.lineStart - this.writtenBytes;
    if (keptBytes < 0) {
      this.pending = [];
      this.pendingBytes = 0;
      this.writtenBytes = this.lineStart;
      this.isCut = true;
      return;
    }
    this.pending = [Buffer.concat(this.pending).subarray(0, keptBytes)];
    this.pendingBytes = keptBytes;
  }
  /** Adds a line that is not counted. */
  addNote(line: string): void {
    this.addPiece(Buffer.from(`${line}\n`));
  }
  /** Adds `count` whole lines with their line breaks. */
  addBlock(block: Buffer, count: number): void {
    this.pending.push(block);
    this.pendingBytes += block.length;
    this.count += count;
  }
  async flush(): Promise<void> {
    if (this.isCut) await this.handle?.truncate(this.writtenBytes);
    this.isCut = false;
    if (this.pending.length === 0) return;
    let at = this.writtenBytes;
    const bytes = this.takePending();
    this.handle ??= await open(this.file, 'wx');
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await this.handle.write(bytes, from, bytes.length - from, at);
      from += bytesWritten;
      at += bytesWritten;
    }
  }
  /** Flushes the file and its name: the task that names it is durable once it is answered, so its payload must be too. */
  async end(): Promise<void> {
    if (this.handle === undefined) {
      await this.writeAtOnce();
      return;
    }
    await this.flush();
    faultPoint('payload.flush');
    // by its number: handles of Yarn's Plug'n'Play cannot be flushed
    await this.flushed(dataFlushed(this.handle.fd));
    await this.handle.close();
  }
  async discard(): Promise<void> {
    await this.handle?.close();
    await rm(this.file, { force: true });
  }

  /** Synchronous, because the steps of a small payload are not worth the thread pool: only the disk is waited for. */
  private async writeAtOnce(): Promise<void> {
    const bytes = this.takePending();
    const descriptor = openSync(this.file, 'wx');
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      faultPoint('payload.flush');
      await this.flushed(dataFlushed(descriptor));
    } finally {
      closeSync(descriptor);
    }
  }

  /** Waits for the file's data and its name at the same time: where there is a journal, one write of it has both. */
  private async flushed(data: Promise<void>): Promise<void> {
    const ends = await Promise.allSettled([data, flushNames(dirname(this.file))]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private takePending(): Buffer {
    const bytes = this.pending.length === 1 ? this.pending[0]! : Buffer.concat(this.pending);
    this.pending = [];
    this.writtenBytes += bytes.length;
    this.pendingBytes = 0;
    return bytes;
  }
}

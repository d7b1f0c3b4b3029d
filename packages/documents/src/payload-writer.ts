import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { faultPoint } from '@fossick/base';

/** Pending bytes from which on whoever adds lines flushes them. */
export const FLUSH_BYTES = 256 * 1024;
const NEWLINE = Buffer.from('\n');
const flushed = promisify(fdatasync);

/** What a payload file holds: `bytes` is its length. */
export interface StoredPayload {
  readonly count: number;
  readonly bytes: number;
}

/** Writes lines to a file that is made when there are many, or at the end. */
export class LineWriter {
  count = 0;
  pendingBytes = 0;
  private writtenBytes = 0;
  private pending: Buffer[] = [];
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
  /** Some of a line. */
  addPiece(piece: Buffer): void {
    this.pending.push(piece);
    this.pendingBytes += piece.length;
  }
  endLine(): void {
    this.addPiece(NEWLINE);
    this.count++;
  }
  /** Bytes of `count` whole lines, their breaks included. */
  addBlock(block: Buffer, count: number): void {
    this.pending.push(block);
    this.pendingBytes += block.length;
    this.count += count;
  }
  async flush(): Promise<void> {
    if (this.pending.length === 0) return;
    const bytes = this.takePending();
    this.handle ??= await open(this.file, 'wx');
    await this.handle.writeFile(bytes);
  }
  /** The task that names this file is durable once it is answered, so its payload has to be too. */
  async end(): Promise<void> {
    if (this.handle === undefined) {
      await this.writeAtOnce();
      return;
    }
    await this.flush();
    faultPoint('payload.flush');
    await this.handle.datasync();
    await this.handle.close();
  }
  async discard(): Promise<void> {
    await this.handle?.close();
    await rm(this.file, { force: true });
  }

  /** A small payload is not worth a way through the thread pool for each step: only the disk is waited for. */
  private async writeAtOnce(): Promise<void> {
    const bytes = this.takePending();
    const descriptor = openSync(this.file, 'wx');
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      faultPoint('payload.flush');
      await flushed(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  private takePending(): Buffer {
    const bytes = this.pending.length === 1 ? this.pending[0]! : Buffer.concat(this.pending);
    this.pending = [];
    this.writtenBytes += bytes.length;
    this.pendingBytes = 0;
    return bytes;
  }
}

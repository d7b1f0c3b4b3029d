import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type AnalyticsRecord, readRecord, recordLine } from './record.js';

export const HOUR_MS = 3_600_000;
/** Records of one second at most. At a hundred bytes each that is ten thousand searches, several times what one process answers. */
export const BUFFER_BYTES = 1 << 20;
/** UTF-16 units of lines that are joined before they are copied into bytes: a copy costs more than a line. */
const JOINED_UNITS = 8_192;
/** A frame is the length of its lines and their sum, each four bytes, little-endian, and the lines. */
const HEAD_BYTES = 8;
const FILE_NAME = /^(\d+)-[a-z0-9]+\.log$/;

/** The start of the hour of a moment, in seconds since 1970. */
export const hourOf = (atMs: number): number => Math.floor(atMs / HOUR_MS) * (HOUR_MS / 1000);

export interface RecordLogOptions {
  readonly folder: string;
  /** Bytes of all files together; records that do not fit are dropped. */
  readonly bytesMax: number;
  /** Called when a file cannot be written; the records of that second are dropped. */
  readonly onFault: (error: unknown) => void;
}

interface Half {
  readonly bytes: Buffer;
  /** Of its first record: the file that it is written to. */
  hour: number;
  /** Bytes in use. */
  length: number;
}

/**
 * The records of the hours whose counts are not stored as documents yet: files of frames, which are only appended to. Each
 * process writes files of its own, so a frame that a crash cut off is always the last one of its file. `add` copies into
 * memory that is there already; `flush`, called each second, writes it. Not synchronised to the disk: a killed process loses what
 * was not flushed, a power cut also what the system had not written.
 */
export class RecordLog {
  private readonly options: RecordLogOptions;
  private halves: [Half, Half] = [newHalf(), newHalf()];
  /** The last lines of the first half, which are not in its bytes yet. */
  private lines = '';
  private file: { readonly hour: number; readonly handle: FileHandle } | undefined;
  private writing: Promise<void> = Promise.resolve();
  private isWriting = false;
  private byteCount: number;
  private readonly processName = Date.now().toString(36);
  /** Records that found no space, since the start. */
  dropped = 0;

  constructor(options: RecordLogOptions) {
    this.options = options;
    mkdirSync(options.folder, { recursive: true });
    this.byteCount = this.files().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether the record was taken. O(its line) */
  add(record: AnalyticsRecord): boolean {
    const hour = hourOf(record.atMs);
    // while the last write runs, the first records of an hour are in the file of the hour before
    if (hour !== this.halves[0].hour) this.flush();
    const line = recordLine(record);
    if (this.bytesWith(line) > BUFFER_BYTES) this.flush();
    const bytes = this.bytesWith(line);
    if (bytes > BUFFER_BYTES || this.byteCount + bytes > this.options.bytesMax) {
      this.dropped += 1;
      return false;
    }
    const [half] = this.halves;
    if (this.isEmpty) half.hour = hour;
    this.lines += line;
    if (this.lines.length > JOINED_UNITS) this.join();
    return true;
  }

  /** Starts to write what was added; does nothing while the last write runs. */
  flush(): void {
    if (this.isWriting || this.isEmpty) return;
    this.join();
    const [full, free] = this.halves;
    this.halves = [free, full];
    this.isWriting = true;
    this.writing = this.write(full)
      .catch((error: unknown) => this.options.onFault(error))
      .finally(() => {
        full.length = HEAD_BYTES;
        this.isWriting = false;
      });
  }

  /** Writes everything that was added, and closes the file. */
  async close(): Promise<void> {
    await this.writing;
    this.flush();
    await this.writing;
    await this.file?.handle.close();
    this.file = undefined;
  }

  /** The bytes of all files. */
  get bytes(): number {
    return this.byteCount;
  }

  /** The hours that have files, ascending. */
  hours(): number[] {
    return [...new Set(this.files().map(({ hour }) => hour))].sort((a, b) => a - b);
  }

  /** Removes the files of an hour, whose counts are stored elsewhere. */
  remove(hour: number): void {
    for (const { name, hour: of, bytes } of this.files()) {
      if (of !== hour) continue;
      rmSync(join(this.options.folder, name), { force: true });
      this.byteCount -= bytes;
    }
  }

  /**
   * The records that earlier processes wrote, frame by frame, the oldest hour first. A frame whose sum is wrong ends its
   * file. Call it before the first `add`; what is added while it is read is not among them.
   */
  async *earlier(): AsyncGenerator<readonly AnalyticsRecord[]> {
    const files = this.files().sort((a, b) => a.hour - b.hour || (a.name < b.name ? -1 : 1));
    for (const { name } of files) yield* framesOf(join(this.options.folder, name));
  }

  private get isEmpty(): boolean {
    return this.halves[0].length === HEAD_BYTES && this.lines === '';
  }

  /** Bytes of the first half with one line more, at most. */
  private bytesWith(line: string): number {
    // three bytes a unit are the most
    return this.halves[0].length + (this.lines.length + line.length) * 3;
  }

  private join(): void {
    const [half] = this.halves;
    half.length += half.bytes.write(this.lines, half.length);
    this.lines = '';
  }

  private async write({ bytes, length, hour }: Half): Promise<void> {
    const lines = bytes.subarray(HEAD_BYTES, length);
    bytes.writeUInt32LE(lines.length, 0);
    bytes.writeUInt32LE(crc32(lines), 4);
    if (this.file?.hour !== hour) {
      await this.file?.handle.close();
      this.file = undefined;
      const name = `${hour}-${this.processName}.log`;
      this.file = { hour, handle: await open(join(this.options.folder, name), 'a') };
    }
    this.byteCount += length;
    await this.file.handle.write(bytes, 0, length);
  }

  private files(): { readonly name: string; readonly hour: number; readonly bytes: number }[] {
    return readdirSync(this.options.folder).flatMap((name) => {
      const hour = FILE_NAME.exec(name)?.[1];
      if (hour === undefined) return [];
      return { name, hour: Number(hour), bytes: statSync(join(this.options.folder, name)).size };
    });
  }
}

const newHalf = (): Half => ({ bytes: Buffer.alloc(BUFFER_BYTES), length: HEAD_BYTES, hour: 0 });

async function* framesOf(path: string): AsyncGenerator<readonly AnalyticsRecord[]> {
  const handle = await open(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    for (let at = 0; ; ) {
      if ((await handle.read(head, 0, HEAD_BYTES, at)).bytesRead < HEAD_BYTES) return;
      const length = head.readUInt32LE(0);
      if (length > BUFFER_BYTES) return;
      const lines = Buffer.alloc(length);
      const { bytesRead } = await handle.read(lines, 0, length, at + HEAD_BYTES);
      if (bytesRead < length || crc32(lines) !== head.readUInt32LE(4)) return;
      at += HEAD_BYTES + length;
      const texts = lines.toString('utf8').split('\n');
      yield texts.flatMap((text) => (text === '' ? [] : (readRecord(text) ?? [])));
    }
  } finally {
    await handle.close();
  }
}

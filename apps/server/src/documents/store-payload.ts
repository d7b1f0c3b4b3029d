import { isUtf8 } from 'node:buffer';
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ApiError } from '@fossick/base';
import { missingPayload } from '../http/body.js';
import { csvObjects } from './csv-rows.js';
import { ObjectSplitter } from './object-splitter.js';

export type PayloadFormat =
  | { readonly kind: 'json' }
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'csv'; readonly delimiter: string };

const FLUSH_BYTES = 256 * 1024;
const NEWLINE = Buffer.from('\n');

/**
 * Checks a document payload to its end and writes it to `file` as NDJSON, one object a line in its received spelling. Answers the number of objects. On any
 * error the file is removed. Never holds more than one object and one write buffer.
 */
export async function storePayload(body: Readable, format: PayloadFormat, file: string): Promise<number> {
  const handle = await open(file, 'wx');
  try {
    const lines = new LineWriter(handle);
    if (format.kind === 'csv') await storeCsv(body, format.delimiter, lines);
    else await storeJson(body, format.kind === 'json' ? 'document' : 'sequence', lines);
    await lines.flush();
    // the task that names this file is durable once it is answered, so its payload has to be too
    await handle.datasync();
    await handle.close();
    return lines.count;
  } catch (error) {
    await handle.close();
    await rm(file, { force: true });
    throw error;
  }
}

async function storeJson(body: Readable, kind: 'document' | 'sequence', lines: LineWriter): Promise<void> {
  const splitter = new ObjectSplitter(kind);
  let isEmpty = true;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    isEmpty &&= chunk.length === 0;
    for (const object of splitter.push(chunk)) {
      checkObject(object, lines.count);
      lines.add(onOneLine(object));
    }
    if (lines.pendingBytes >= FLUSH_BYTES) await lines.flush();
  }
  if (isEmpty) throw missingPayload();
  splitter.end();
}

async function storeCsv(body: Readable, delimiter: string, lines: LineWriter): Promise<void> {
  let isEmpty = true;
  body.once('data', () => {
    isEmpty = false;
  });
  body.pause();
  for await (const text of csvObjects(body, delimiter)) {
    lines.add(Buffer.from(text));
    if (lines.pendingBytes >= FLUSH_BYTES) await lines.flush();
  }
  if (isEmpty) throw missingPayload();
}

function checkObject(object: Buffer, position: number): void {
  let reason = 'it is not valid UTF-8';
  if (isUtf8(object)) {
    try {
      JSON.parse(object.toString('utf8'));
      return;
    } catch (error) {
      reason = (error as Error).message;
    }
  }
  throw new ApiError('malformed_payload', `Document ${position} of the payload is malformed: ${reason}.`);
}

/** A raw line break in valid JSON stands between tokens, never in a string, so a blank says the same. */
function onOneLine(object: Buffer): Buffer {
  if (!object.includes(0x0a) && !object.includes(0x0d)) return object;
  const copy = Buffer.from(object);
  for (let i = 0; i < copy.length; i++) if (copy[i] === 0x0a || copy[i] === 0x0d) copy[i] = 0x20;
  return copy;
}

class LineWriter {
  count = 0;
  pendingBytes = 0;
  #pending: Buffer[] = [];
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }
  add(line: Buffer): void {
    this.#pending.push(line, NEWLINE);
    this.pendingBytes += line.length + 1;
    this.count++;
  }
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    const buffers = this.#pending;
    this.#pending = [];
    this.pendingBytes = 0;
    await this.#handle.write(Buffer.concat(buffers));
  }
}

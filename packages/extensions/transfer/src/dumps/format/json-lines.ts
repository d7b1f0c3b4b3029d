import { createReadStream, existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isTooDeep } from '@fossick/api';
import { MAX_JSON_DEPTH, MAX_JSON_TEXT_BYTES } from '@fossick/base';
import { isJsonObject, parseDocument } from '@fossick/documents';

const LINE_FEED = 0x0a;

/** The JSON object in a file. Throws an Error that names the file for anything else. */
export async function readJson<T = unknown>(file: string): Promise<T> {
  if ((await stat(file)).size > MAX_JSON_TEXT_BYTES) throw tooLong(basename(file), MAX_JSON_TEXT_BYTES);
  return jsonOf(await readFile(file, 'utf8'), basename(file)) as T;
}

/**
 * The objects of a file, one per line; none when there is no such file. Throws an Error that names the line, also for
 * one of more than `lineBytesMax`. Memory: the longest line. `parse`: JSON.parse, or what keeps more of a line.
 */
export async function* linesOf<T>(
  file: string,
  lineBytesMax = MAX_JSON_TEXT_BYTES,
  parse: (line: string) => unknown = JSON.parse,
): AsyncGenerator<T> {
  if (!existsSync(file)) return;
  let number = 0;
  for await (const line of textLines(file, lineBytesMax)) {
    number += 1;
    if (line.trim() !== '') yield jsonOf(line, `${basename(file)}, line ${number}`, parse) as T;
  }
}

/** The lines of tasks or batches: the context of an edit keeps its numbers and the order of its members. */
export const taskLinesOf = (file: string): AsyncGenerator<Record<string, unknown>> =>
  linesOf(file, MAX_JSON_TEXT_BYTES, (line) => (EDITION.test(line) ? parseDocument(line) : JSON.parse(line)));
/** A task that is an edit, or a batch of one. */
const EDITION = /"documentEdition"/;

/**
 * Unparsed lines. Node's own reader of lines has no limit, and throws an uncatchable error where its maximal string
 * length is exceeded.
 */
async function* textLines(file: string, lineBytesMax: number): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let number = 1;
  const grow = (part: Buffer): void => {
    begunBytes += part.length;
    if (begunBytes > lineBytesMax) throw tooLong(`${basename(file)}, line ${number}`, lineBytesMax);
    begun.push(part);
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, start)) {
      grow(chunk.subarray(start, at));
      yield Buffer.concat(begun).toString('utf8');
      [begun, begunBytes, start] = [[], 0, at + 1];
      number += 1;
    }
    if (start < chunk.length) grow(chunk.subarray(start));
  }
  if (begunBytes > 0) yield Buffer.concat(begun).toString('utf8');
}

const tooLong = (location: string, bytesMax: number): Error =>
  new Error(`${location}: it is longer than ${bytesMax} bytes`);

/** Every line of a dump is an object. `location`: names the line in the error for another value. */
function jsonOf(text: string, location: string, parse: (text: string) => unknown = JSON.parse): object {
  let value: unknown;
  if (isTooDeep(text)) throw new Error(`${location}: it is nested more than ${MAX_JSON_DEPTH} levels deep`);
  try {
    value = parse(text);
  } catch (error) {
    throw new Error(`${location}: ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw new Error(`${location}: an object is wanted`);
  return value;
}

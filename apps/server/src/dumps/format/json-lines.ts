import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { isJsonObject } from '@fossick/documents';

/** The object that a file holds. Throws an Error that names the file for anything else. */
export async function readJson<T = unknown>(file: string): Promise<T> {
  return jsonOf(await readFile(file, 'utf8'), basename(file)) as T;
}

/** The objects of a file of one a line, in constant memory; none when there is no such file. Throws an Error that names the line. */
export async function* linesOf<T>(file: string): AsyncGenerator<T> {
  if (!existsSync(file)) return;
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() !== '') yield jsonOf(line, `${basename(file)}, line ${number}`) as T;
  }
}

/** An object, as everything in a dump is. `place`: what is said of another value. */
function jsonOf(text: string, place: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw new Error(`${place}: an object is wanted`);
  return value;
}

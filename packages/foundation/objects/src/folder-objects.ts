import { randomUUID } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushFile, flushNames, makeFolder } from '@fossick/base/durable-names';
import { compareKeys } from './memory-objects.js';
import { checkKey } from './object-bytes.js';
import {
  MissingStoreError,
  type ObjectInfo,
  type ObjectRange,
  type ObjectStore,
  type PutOptions,
  unwritten,
} from './port.js';

/** Files that are not whole yet. No key begins with a dot. */
const UNFINISHED = '.unfinished';

/**
 * Objects as files of a folder, for one machine: any number of processes may use it. An object is written to a file of
 * another name, flushed, and then linked or renamed, which the system does atomically; it survives a power cut.
 */
export class FolderObjects implements ObjectStore {
  private readonly folder: string;
  /** The folder had its own folder of unfinished files, and keeps it. */
  private isUsed = false;
  /** The object that tells which folder this is, and what it says. */
  private mark: { readonly path: string; readonly bytes: Buffer } | undefined;

  /** The folder is created when it is needed. */
  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * From now on nothing is put into the folder unless this object is there as it is now: another folder in the place of
   * this one has another one.
   */
  async knowBy(key: string): Promise<void> {
    const path = this.path(key);
    this.mark = { path, bytes: await readFile(path) };
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    { ifAbsent = false, requires }: PutOptions = {},
  ): Promise<'put' | 'exists'> {
    const target = this.path(key);
    const source = join(this.folder, UNFINISHED, randomUUID());
    try {
      await this.prepare(key, source, body, requires);
      if (ifAbsent) await link(source, target);
      else await rename(source, target);
    } catch (error) {
      if (ifAbsent && codeOf(error) === 'EEXIST') {
        // anyone who created it may not have flushed its name yet
        await flushNames(dirname(target));
        return 'exists';
      }
      throw error;
    } finally {
      // a disk that can only be read by now keeps it: that says nothing of the object
      await rm(source, { force: true }).catch(() => undefined);
    }
    await flushNames(dirname(target));
    this.isUsed = true;
    return 'put';
  }

  async get(key: string, range?: ObjectRange): Promise<AsyncIterable<Uint8Array> | null> {
    const path = this.path(key);
    const bytes = await sizeOf(path);
    if (bytes === null) {
      await this.expectFolder();
      return null;
    }
    // one that was copied without it gets it with the next object
    if (!this.isUsed) this.isUsed = !(await isAbsent(stat(join(this.folder, UNFINISHED))));
    const end = Math.min(range?.end ?? bytes, bytes);
    const start = range?.start ?? 0;
    if (start >= end) return nothing();
    return opened(createReadStream(path, { start, end: end - 1 }));
  }

  async *list(prefix: string, after = ''): AsyncGenerator<ObjectInfo> {
    const parent = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    for (const key of (await this.keys(parent)).sort(compareKeys)) {
      if (!key.startsWith(prefix) || key <= after) continue;
      const bytes = await sizeOf(this.path(key));
      if (bytes !== null) yield { key, bytes };
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.path(key);
    try {
      await rm(path);
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  }

  /**
   * Writes what becomes the object, and makes the folder of its key. Throws MissingStoreError, and ObjectStoreError for
   * everything else: nobody can see the object yet.
   */
  private async prepare(
    key: string,
    source: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    requires: string | undefined,
  ): Promise<void> {
    try {
      if (this.isUsed) await this.expectOwn();
      else makeFolder(dirname(source));
      await writeFlushed(source, body);
      if (requires !== undefined && (await isAbsent(stat(this.path(requires)))))
        throw new MissingStoreError(`the object ${requires} is gone`);
      await this.makeFolderOf(key);
    } catch (error) {
      throw unwritten(error);
    }
  }

  /** Keys below a folder, which is empty or ends in a slash. */
  private async keys(parent: string): Promise<string[]> {
    let found: Dirent[];
    try {
      found = await readdir(join(this.folder, parent), { withFileTypes: true });
    } catch (error) {
      if (isAbsence(error)) return [];
      throw error;
    }
    const keys: string[] = [];
    for (const one of found) {
      if (one.name.startsWith('.')) continue;
      if (one.isDirectory()) keys.push(...(await this.keys(`${parent}${one.name}/`)));
      else keys.push(`${parent}${one.name}`);
    }
    return keys;
  }

  /**
   * Throws MissingStoreError when the folder is gone, such as one of another machine that is not mounted: then nothing is
   * known of objects.
   */
  private async expectFolder(): Promise<void> {
    if (this.isUsed && (await isAbsent(stat(join(this.folder, UNFINISHED))))) throw this.gone();
  }

  /** Throws also when another folder is in its place. A folder that was there is not made anew: it would lack what it had. */
  private async expectOwn(): Promise<void> {
    const { mark } = this;
    if (mark === undefined) return this.expectFolder();
    if (await isAbsent(stat(mark.path))) throw this.gone();
    if (!(await readFile(mark.path)).equals(mark.bytes))
      throw new Error(`the folder ${this.folder} of the objects is another one than before`);
    await this.makeFolderOf(`${UNFINISHED}/`);
  }

  private gone(): Error {
    return new MissingStoreError(`the folder ${this.folder} of the objects, or what it had, is gone`);
  }

  /** Makes the folders of a key, and not the one in which they are: it may be gone since it was looked at. */
  private async makeFolderOf(key: string): Promise<void> {
    let folder = this.folder;
    for (const name of key.split('/').slice(0, -1)) {
      folder = join(folder, name);
      try {
        await mkdir(folder);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        continue;
      }
      await flushNames(dirname(folder));
    }
  }

  private path(key: string): string {
    checkKey(key);
    return join(this.folder, key);
  }
}

async function writeFlushed(path: string, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx');
  try {
    if (body instanceof Uint8Array) await file.writeFile(body);
    else for await (const chunk of body) await file.writeFile(chunk);
    await flushFile(file.fd);
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

function opened(stream: ReturnType<typeof createReadStream>): Promise<AsyncIterable<Uint8Array> | null> {
  return new Promise((resolve, reject) => {
    stream.once('open', () => resolve(stream));
    // deleted since its size was read
    stream.once('error', (error) => (isAbsence(error) ? resolve(null) : reject(error)));
  });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function isAbsent(look: Promise<unknown>): Promise<boolean> {
  try {
    await look;
    return false;
  } catch (error) {
    if (isAbsence(error)) return true;
    throw error;
  }
}

/** ENOTDIR: a part of the key is an object. */
function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

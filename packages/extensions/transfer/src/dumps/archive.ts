import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { faultPoint, MAX_ARCHIVE_ENTRIES } from '@fossick/base';
import { flushFile, flushNames } from '@fossick/base/durable-names';
import { extract, type Headers, type Pack, pack } from 'tar-stream';

/** LMDB's lock file belongs to the processes that have a store open, and is never copied. */
const NEVER_PACKED = new Set(['lock.mdb']);
/** How much of a name an error shows. */
const SHOWN_NAME_UNITS = 200;

/** Adds everything below a folder to an archive, under the names that it has below `root`. */
export type AddFolder = (folder: string, root: string) => Promise<void>;

/**
 * Makes a gzip'd tar of what `fill` adds, and passes it to `take` while it is made. Rejects with what either threw, when
 * both have ended. Memory: stream buffers.
 *
 * @param level of compression: 0 to 9; that of zlib when absent
 */
export async function packArchive(
  fill: (add: AddFolder) => Promise<void>,
  take: (archive: AsyncIterable<Uint8Array>) => Promise<void>,
  level?: number,
): Promise<void> {
  const archive = pack();
  const gzip = createGzip(level === undefined ? {} : { level });
  let taking: Promise<void> | undefined;
  const taken = pipeline(archive, gzip, (bytes: AsyncIterable<Uint8Array>) => {
    taking = take(bytes);
    return taking;
  });
  // an error of one ends the other
  const filled = fill((folder, root) => addFolder(archive, root, folder)).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  await Promise.allSettled([taken, filled]);
  // `take` gets the errors of `fill` from its stream, and has an end to come to after the stream was closed
  await taking;
  await taken;
}

/**
 * Writes what `fill` adds into one gzip'd tar at `file`. The file appears under its name only when it is complete and on
 * disk, and after what `packed` does with it; until then it is `partial`, on the same volume. An older one is replaced.
 * Memory: stream buffers.
 */
export async function packFile(
  fill: (add: AddFolder) => Promise<void>,
  file: string,
  partial: string,
  packed: (partial: string) => Promise<unknown> = async () => undefined,
): Promise<void> {
  try {
    await packArchive(fill, (archive) => pipeline(archive, createWriteStream(partial)));
    const handle = await open(partial, 'r');
    await flushFile(handle.fd).finally(() => handle.close());
    await packed(partial);
    faultPoint('rename');
    await rename(partial, file);
    faultPoint('renamed');
    await flushNames(dirname(file));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The same with everything below a folder. */
export async function packFolder(
  folder: string,
  file: string,
  partial: string,
  packed?: (partial: string) => Promise<unknown>,
): Promise<void> {
  await packFile((add) => add(folder, folder), file, partial, packed);
}

async function addFolder(archive: Pack, root: string, folder: string): Promise<void> {
  for (const item of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    const name = relative(root, path).split(sep).join('/');
    if (item.isDirectory()) {
      archive.entry({ name, type: 'directory' });
      await addFolder(archive, root, path);
    } else if (!NEVER_PACKED.has(item.name)) {
      const { size } = await stat(path);
      const entry = archive.entry({ name, size });
      await pipeline(createReadStream(path), entry);
    }
  }
}

/** The path of an archive, or its bytes. */
export type ArchiveSource = string | AsyncIterable<Uint8Array>;

/** Limits of `unpackArchive`. */
export interface ArchiveLimits {
  /** The most entries. */
  readonly entriesMax: number;
  /** Whether files are flushed to disk: not if they are temporary. */
  readonly isFlushed: boolean;
}
/**
 * Bytes that may arrive without an entry or part of one: headers of long names, which the archive reader holds in
 * memory.
 */
const HEADER_BYTES_MAX = 1 << 20;

/**
 * Unpacks a gzip'd tar of files and folders into `folder`. Throws when the file is no such archive, or incomplete, and
 * for entries that no copy of a database contains: paths outside of the folder, links, devices, a name twice, too many
 * entries. The caller removes what was unpacked so far. Memory: stream buffers and some kilobytes of one header.
 */
export async function unpackArchive(
  source: ArchiveSource,
  folder: string,
  { entriesMax = MAX_ARCHIVE_ENTRIES, isFlushed = true }: Partial<ArchiveLimits> = {},
): Promise<void> {
  const root = resolve(folder);
  const archive = extract();
  let silentBytes = 0;
  const guard = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      silentBytes += chunk.length;
      if (silentBytes <= HEADER_BYTES_MAX) return done(null, chunk);
      done(new Error(`the archive has a header of more than ${HEADER_BYTES_MAX} bytes`));
    },
  });
  const read = pipeline(typeof source === 'string' ? createReadStream(source) : source, createGunzip(), guard, archive);
  const unpacked = (async () => {
    let count = 0;
    for await (const entry of archive) {
      silentBytes = 0;
      const path = checkedPath(root, entry.header);
      if (++count > entriesMax) throw new Error(`the archive has more than ${entriesMax} entries`);
      const isFolder = entry.header.type === 'directory';
      await mkdir(isFolder ? path : dirname(path), { recursive: true });
      const parts = partsOf(entry as AsyncIterable<Buffer>, () => {
        silentBytes = 0;
      });
      if (isFolder) entry.resume();
      else await pipeline(parts, createWriteStream(path, { flags: 'wx', flush: isFlushed }));
    }
  })().catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new Error(`the archive names ${relative(root, error.path ?? root)} twice`);
    throw error;
  });
  await bothEnded(read, unpacked);
}

/**
 * Throws what the first of the two threw, but when both have ended: a file that is still being unpacked would create its
 * folder again after the caller has removed it.
 */
async function bothEnded(...works: readonly Promise<void>[]): Promise<void> {
  const faults: unknown[] = [];
  await Promise.all(works.map((work) => work.catch((error: unknown) => faults.push(error))));
  if (faults.length > 0) throw faults[0];
}

async function* partsOf(entry: AsyncIterable<Buffer>, passed: () => void): AsyncGenerator<Buffer> {
  for await (const part of entry) {
    passed();
    yield part;
  }
}

/** The path of an archive's entry. Throws for anything but a file or folder below `root`. */
function checkedPath(root: string, { name, type, size }: Headers): string {
  const shown = JSON.stringify(name.slice(0, SHOWN_NAME_UNITS));
  const path = name.includes('\0') ? root : resolve(root, name);
  const isInside = path.startsWith(root + sep) || (path === root && type === 'directory');
  if (!isInside) throw new Error(`the archive names ${shown}, outside of itself`);
  if (type !== 'directory' && type !== 'file' && type !== 'contiguous-file')
    throw new Error(`the archive holds ${shown}, which is neither a file nor a folder`);
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0))
    throw new Error(`the archive gives ${shown} a size that no file has`);
  return path;
}

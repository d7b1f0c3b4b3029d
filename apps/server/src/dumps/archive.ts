import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { faultPoint } from '@fossick/base';
import { syncFolder } from '@fossick/instance';
import { extract, type Pack, pack } from 'tar-stream';

/** LMDB's lock belongs to the processes that have a store open, never to a copy of it. */
const NEVER_PACKED = new Set(['lock.mdb']);

/**
 * Writes everything below `folder` into one gzip'd tar at `file`. The file appears under its name only when it is whole
 * and on disk; until then it grows as `partial`, on the same volume. An older one is replaced. Memory: stream buffers.
 */
export async function packFolder(folder: string, file: string, partial: string): Promise<void> {
  try {
    const archive = pack();
    const written = pipeline(archive, createGzip(), createWriteStream(partial));
    // a full disk ends both, and `written` is the one to report it
    const filled = addFolder(archive, folder, folder).then(
      () => archive.finalize(),
      (error: Error) => archive.destroy(error),
    );
    await written;
    await filled;
    const handle = await open(partial, 'r');
    await handle.sync().finally(() => handle.close());
    faultPoint('rename');
    await rename(partial, file);
    faultPoint('renamed');
    syncFolder(dirname(file));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
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

/** Unpacks a gzip'd tar into `folder`, each file flushed. Throws when the file is no such archive or names a path outside of the folder. */
export async function unpackArchive(file: string, folder: string): Promise<void> {
  const root = resolve(folder);
  const archive = extract();
  const read = pipeline(createReadStream(file), createGunzip(), archive);
  const unpacked = (async () => {
    for await (const entry of archive) {
      const { name, type } = entry.header;
      const path = resolve(root, name);
      if (path !== root && !path.startsWith(root + sep))
        throw new Error(`the archive names ${name}, outside of itself`);
      if (type === 'directory') await mkdir(path, { recursive: true });
      if (type === 'file' || type === 'contiguous-file') {
        await mkdir(dirname(path), { recursive: true });
        await pipeline(Readable.from(entry as AsyncIterable<Buffer>), createWriteStream(path, { flush: true }));
      } else {
        entry.resume();
      }
    }
  })();
  await Promise.all([read, unpacked]);
}

import { createHash } from 'node:crypto';
import { listRowBytesOf, partsLayout, readManifest, readVersion, WHOLE_LAYOUT } from '@fossick/format';
import { type FilesManifest, ID_BYTES, writeFiles } from '@fossick/storage/files';
import { Catalogue } from '../catalogue/catalogue.js';
import { snapshotRows } from '../view/view-rows.js';
import { exportedRows } from './exported-rows.js';

/** Indexes of at most this many bytes of documents are read as a whole by their readers. */
const SMALL_BYTES = 2 << 20;
/** A server that ignores ranges sends a whole pack for one block. */
const PACK_BYTES = 8 << 20;
const NAME_CHARACTERS = 32;

/**
 * Writes the last commit of an index of a root folder as files (storage: file-format.ts), each passed to `onFile` before
 * the next is made, and returns the manifest. The same commit gives the same files. O(bytes) @throws ApiError
 * index_not_found
 */
export async function exportIndexFiles(
  rootFolder: string,
  uid: string,
  onFile: (name: string, bytes: Uint8Array) => void,
): Promise<FilesManifest> {
  const catalogue = new Catalogue({ rootFolder });
  try {
    const { folder, createdAt } = catalogue.existing(uid);
    return await catalogue.store(folder).snapshot((snapshot) => {
      const rows = snapshotRows(snapshot);
      const manifest = readManifest(rows);
      const { primaryKey, documentCount, documentBytes } = manifest;
      const version = readVersion(rows);
      const isWhole = documentBytes <= SMALL_BYTES;
      return writeFiles(exportedRows(snapshot, manifest, isWhole ? undefined : listRowBytesOf(manifest)), {
        tables: isWhole ? WHOLE_LAYOUT : partsLayout(documentBytes),
        packBytes: PACK_BYTES,
        id: hashOf(JSON.stringify([uid, createdAt, version, manifest])).subarray(0, ID_BYTES),
        about: { uid, primaryKey, createdAt, documentCount },
        nameOf: async (bytes, kind) => `${hashOf(bytes).toString('hex').slice(0, NAME_CHARACTERS)}.${kind}`,
        onFile,
      });
    });
  } finally {
    await catalogue.close();
  }
}

function hashOf(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

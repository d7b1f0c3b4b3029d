/** One commit of a store as files, written anywhere and read on every platform. */

export { readBlock } from './files/block-rows.js';
export { decodeDirectory } from './files/directory-codec.js';
export { fetched, fetchedRange } from './files/fetching.js';
export {
  DamagedFile,
  type Directory,
  FILE_LIMITS,
  FILES_FORMAT,
  type FileEntry,
  type FilesManifest,
  ID_BYTES,
} from './files/file-format.js';
export { BlocksMissing, type FileStore, openFileStore } from './files/file-store.js';
export { packed, unpacked } from './files/packing.js';
export { readManifest } from './files/read-manifest.js';
export { type FilesOptions, type TableLayout, writeFiles } from './files/write-files.js';

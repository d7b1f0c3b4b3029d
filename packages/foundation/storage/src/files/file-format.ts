/**
 * One commit of a store as files, for readers that fetch them. Rows are in blocks, in the order of tables and keys; a
 * block is one gzip member of a pack, so that a range of a pack is read and checked by itself.
 *
 *   manifest.json    names the other files, and is the only one whose content changes
 *   HASH.directory   gzip: where each block is, and its first key
 *   HASH.pack        blocks, one after another
 *
 * HASH is of the content, so these files never change and may be cached for ever. The bytes of a block:
 *
 *   [8 id of the export][u32 number of the block] then for each row [varint key length][key][varint value length][value]
 *
 * gzip's own checksum finds damage, and the two numbers find a file or range that belongs elsewhere.
 */

/** The version of this layout. */
export const FILES_FORMAT = 1;
export const ID_BYTES = 8;
/** Bytes before the rows of a block. */
export const HEAD_BYTES = ID_BYTES + 4;

/** Bounds of what a reader accepts: more is an error, before memory is taken for it. */
export const FILE_LIMITS = {
  /** A manifest names a few files. */
  manifestBytes: 64 << 10,
  /** Some ten bytes for each block, not compressed. */
  directoryBytes: 8 << 20,
  packBytes: 64 << 20,
  packCount: 1024,
  /** Each takes some hundred bytes of memory. */
  blockCount: 512 << 10,
  /** A row of a segment takes 64 KiB, a document up to the limit of a payload's line. */
  blockBytes: 64 << 20,
  tableCount: 64,
  /** Rows that may be in memory at once: what one search reads, and what stays from earlier ones. */
  heldBytes: 512 << 20,
} as const;

/** A file by its name; `bytes` is its length. */
export interface FileEntry {
  readonly name: string;
  readonly bytes: number;
}

/** The content of manifest.json. */
export interface FilesManifest {
  readonly format: number;
  /** Base64 of the id of the export. */
  readonly id: string;
  readonly directory: FileEntry;
  readonly packs: readonly FileEntry[];
  /** What the exporter adds: which index it is. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** Where a block is: bytes [from, from + packedBytes) of a pack. */
export interface BlockPlace {
  readonly pack: number;
  readonly from: number;
  readonly packedBytes: number;
  /** Bytes of its rows and head. */
  readonly rawBytes: number;
  /** Blocks of one group are read together; groups are numbered in order. */
  readonly group: number;
}

/** The blocks of one table, in the order of keys. */
export interface TableDirectory {
  readonly name: string;
  /** Keys of one block have the same first bytes, this many. */
  readonly prefixBytes: number;
  readonly firstKeys: readonly Uint8Array[];
  /** The number of the table's first block in `blocks`. */
  readonly firstBlock: number;
}

export interface Directory {
  readonly tables: readonly TableDirectory[];
  readonly blocks: readonly BlockPlace[];
}

/** A file of an export that cannot be what it should be; the message names it. */
export class DamagedFile extends Error {
  /** The name of the file. */
  readonly file: string;

  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`);
    this.name = 'DamagedFile';
    this.file = file;
  }
}

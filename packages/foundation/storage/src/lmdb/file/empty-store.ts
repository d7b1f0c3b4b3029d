import { HEADER_BYTES, INTEGER_KEYS, NO_PAGE, P_META, TREE_BYTES } from './file-format.js';

const PAGE_BYTES = 4_096;
const META_PAGES = 2;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
/** Address space that LMDB maps a file into when nobody says otherwise; everybody does (environment.ts). */
const MAP_BYTES = 4n * 2n ** 30n;

/**
 * The bytes of a data file before its first commit, as LMDB makes it on a machine with pages of 4 KiB: two meta pages
 * of commit 0, whose trees are empty. Layout: docs/internals/storage-layout.md, "An environment"; little-endian.
 */
export function emptyStore(): Buffer {
  const bytes = Buffer.alloc(META_PAGES * PAGE_BYTES);
  for (let page = 0; page < META_PAGES; page++) {
    const start = page * PAGE_BYTES;
    bytes.writeBigUInt64LE(BigInt(page), start);
    bytes.writeUInt16LE(P_META, start + 18);
    const meta = start + HEADER_BYTES;
    bytes.writeUInt32LE(MAGIC, meta);
    bytes.writeUInt32LE(VERSION, meta + 4);
    bytes.writeBigUInt64LE(MAP_BYTES, meta + 16);
    const freeTree = meta + 24;
    bytes.writeUInt32LE(PAGE_BYTES, freeTree);
    bytes.writeUInt16LE(INTEGER_KEYS, freeTree + 4);
    for (const tree of [freeTree, freeTree + TREE_BYTES]) bytes.writeBigUInt64LE(NO_PAGE, tree + 40);
    bytes.writeBigUInt64LE(BigInt(META_PAGES - 1), freeTree + 2 * TREE_BYTES);
  }
  return bytes;
}

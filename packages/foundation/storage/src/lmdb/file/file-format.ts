/**
 * Numbers of LMDB's file format as lmdb-js has it (data version 2); docs/internals/storage-layout.md, "An environment", describes
 * the layout.
 */

export const HEADER_BYTES = 24;
export const P_BRANCH = 1;
export const P_LEAF = 2;
export const P_OVERFLOW = 4;
export const P_META = 8;
/** All flags that distinguish kinds of pages. */
export const P_KINDS = 0x6f;
/** The value of a leaf is on pages of its own. */
export const NODE_BIG = 1;
/** The value of a leaf is the root of a table. */
export const NODE_TABLE = 2;
export const NODE_BYTES = 8;
/** Size of the reference that a leaf holds for a large value: u64 first page, u64, u64 number of pages. */
export const RUN_BYTES = 24;
export const TREE_BYTES = 48;
/** The root of an empty tree. */
export const NO_PAGE = 2n ** 64n - 1n;
/** Greatest depth of LMDB's cursors. */
export const DEPTH_MAX = 32;
/** The only flag of a tree that occurs here: keys of the list of free pages are integers. */
export const INTEGER_KEYS = 8;

/** The description of one tree in a file. */
export interface TreeFacts {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** Undefined when the tree is empty. */
  readonly root: number | undefined;
}

/** `[u32 page bytes or 0][u16 flags][u16 depth][u64 branch][u64 leaf][u64 overflow pages][u64 entries][u64 root]`. */
export function treeAt(bytes: Buffer, at: number): TreeFacts {
  const root = bytes.readBigUInt64LE(at + 40);
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: Number(bytes.readBigUInt64LE(at + 8)),
    leafPages: Number(bytes.readBigUInt64LE(at + 16)),
    overflowPages: Number(bytes.readBigUInt64LE(at + 24)),
    entries: Number(bytes.readBigUInt64LE(at + 32)),
    root: root === NO_PAGE ? undefined : Number(root),
  };
}

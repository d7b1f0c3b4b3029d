/** Numbers of LMDB's file format as lmdb-js has it (data version 2); the layout is told in docs/storage-layout.md, "An environment". */

export const HEADER_BYTES = 24;
export const P_BRANCH = 1;
export const P_LEAF = 2;
export const P_OVERFLOW = 4;
export const P_META = 8;
/** Every flag that tells kinds of pages apart. */
export const P_KINDS = 0x6f;
/** A leaf's value lies on pages of its own. */
export const NODE_BIG = 1;
/** A leaf's value is the root of a table. */
export const NODE_TABLE = 2;
export const NODE_BYTES = 8;
/** What a leaf holds instead of a large value: u64 first page, u64, u64 number of pages. */
export const RUN_BYTES = 24;
export const TREE_BYTES = 48;
/** A root that is no page: the tree is empty. */
export const NO_PAGE = 2n ** 64n - 1n;
/** LMDB's cursors are no deeper. */
export const DEPTH_MAX = 32;
/** The only flag of a tree of ours: keys of the list of free pages are integers. */
export const INTEGER_KEYS = 8;

/** What a file says of one tree. */
export interface TreeFacts {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** Undefined when it is empty. */
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

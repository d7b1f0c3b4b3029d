import { readFileSync } from 'node:fs';

export const PAGE_BYTES = 4096;
const HEADER_BYTES = 24;
const LEAF = 2;
const [NODE_PLAIN, NODE_BIG, NODE_TABLE] = [0, 1, 2];
const NO_PAGE = 2n ** 64n - 1n;

/** A range of bytes in a file: its start, and the offset after its end. */
export type Place = readonly [from: number, to: number];

/**
 * Byte ranges of rows in the file of a store, found through the trees of its last commit. Pages that look like rows but
 * are not reachable are left out: free pages, those inside of an older run of pages, and the list of free pages.
 * Layout: docs/internals/storage-layout.md, "An environment".
 */
export function rowBytes(file: string): Place[] {
  const bytes = readFileSync(file);
  const commitAt = (head: number): bigint => bytes.readBigUInt64LE(head * PAGE_BYTES + HEADER_BYTES + 128);
  const head = (commitAt(0) > commitAt(1) ? 0 : PAGE_BYTES) + HEADER_BYTES;
  const places: Place[] = [];
  const follow = (root: bigint): void => {
    if (root === NO_PAGE) return;
    const page = Number(root) * PAGE_BYTES;
    const isLeaf = bytes.readUInt16LE(page + 18) === LEAF;
    for (let pointer = 0; pointer < bytes.readUInt16LE(page + 20); pointer += 2) {
      const node = page + HEADER_BYTES + bytes.readUInt16LE(page + HEADER_BYTES + pointer);
      if (!isLeaf) {
        follow(BigInt(bytes.readUInt32LE(node)) + (BigInt(bytes.readUInt16LE(node + 4)) << 32n));
        continue;
      }
      const [kind, length, value] = [
        bytes.readUInt16LE(node + 4),
        bytes.readUInt32LE(node),
        node + 8 + bytes.readUInt16LE(node + 6),
      ];
      if (kind === NODE_TABLE) follow(bytes.readBigUInt64LE(value + 40));
      else if (kind === NODE_PLAIN && length > 0) places.push([value, value + length]);
      else if (kind === NODE_BIG) {
        const run = Number(bytes.readBigUInt64LE(value)) * PAGE_BYTES + HEADER_BYTES;
        places.push([run, run + length]);
      }
    }
  };
  // the tree of tables; the one before it is the list of free pages
  follow(bytes.readBigUInt64LE(head + 24 + 48 + 40));
  return places;
}

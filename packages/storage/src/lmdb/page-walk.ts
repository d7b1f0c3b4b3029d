import { readSync } from 'node:fs';

const HEADER_BYTES = 24;
const P_BRANCH = 1;
const P_LEAF = 2;
const P_OVERFLOW = 4;
/** A leaf's value lies on pages of its own. */
const NODE_BIG = 1;
/** A leaf's value is the root of a table. */
const NODE_TABLE = 2;
const NODE_BYTES = 8;
const ROOT_AT = 40;
const NO_PAGE = 2n ** 64n - 1n;

/** Walks the trees of a store's file by reading it, without mapping it: a page that is missing or wrong is told, not met. */
export class PageWalk {
  private readonly page: Buffer;
  private readonly header = Buffer.alloc(HEADER_BYTES);
  private readonly pageCount: number;

  constructor(
    private readonly descriptor: number,
    private readonly pageBytes: number,
    fileBytes: number,
  ) {
    this.page = Buffer.alloc(pageBytes);
    this.pageCount = Math.floor(fileBytes / pageBytes);
  }

  /** What is wrong with the first bad page below the roots; undefined when every page is there. O(pages). */
  firstDamage(roots: readonly number[]): string | undefined {
    const left = [...roots];
    const seen = new Set<number>();
    for (let pageNumber = left.pop(); pageNumber !== undefined; pageNumber = left.pop()) {
      if (seen.has(pageNumber)) return `page ${pageNumber} is in use twice`;
      seen.add(pageNumber);
      const damage = this.follow(pageNumber, left);
      if (damage !== undefined) return damage;
    }
    return undefined;
  }

  /** Checks one page of a tree and adds those below it to `left`. */
  private follow(pageNumber: number, left: number[]): string | undefined {
    const { page } = this;
    if (!this.read(page, pageNumber)) return `page ${pageNumber} lies behind its end`;
    const flags = page.readUInt16LE(18);
    if (page.readBigUInt64LE(0) !== BigInt(pageNumber) || (flags & (P_BRANCH | P_LEAF)) === 0)
      return `page ${pageNumber} is not of a tree`;
    const nodeCount = page.readUInt16LE(20) >> 1;
    for (let node = 0; node < nodeCount; node++) {
      const pointer = HEADER_BYTES + 2 * node;
      const at = pointer + 2 > this.pageBytes ? this.pageBytes : page.readUInt16LE(pointer) + HEADER_BYTES;
      if (at + NODE_BYTES > this.pageBytes) return `page ${pageNumber} has a wrong entry`;
      if ((flags & P_BRANCH) !== 0) {
        left.push(page.readUInt16LE(at) + page.readUInt16LE(at + 2) * 2 ** 16 + page.readUInt16LE(at + 4) * 2 ** 32);
        continue;
      }
      const value = at + NODE_BYTES + page.readUInt16LE(at + 6);
      const kind = page.readUInt16LE(at + 4);
      if ((kind & (NODE_BIG | NODE_TABLE)) === 0) continue;
      const spanned = (kind & NODE_TABLE) === 0 ? 24 : 48;
      if (value + spanned > this.pageBytes) return `page ${pageNumber} has a wrong entry`;
      if ((kind & NODE_TABLE) !== 0) {
        const root = page.readBigUInt64LE(value + ROOT_AT);
        if (root !== NO_PAGE) left.push(Number(root));
        continue;
      }
      const first = Number(page.readBigUInt64LE(value));
      const count = Number(page.readBigUInt64LE(value + 16));
      const damage = this.checkRun(first, count);
      if (damage !== undefined) return damage;
    }
    return undefined;
  }

  /** A run of pages with one large value: its first page says what it is, the others are the value's. */
  private checkRun(first: number, count: number): string | undefined {
    if (first + count > this.pageCount || !this.read(this.header, first))
      return `page ${first + count - 1} lies behind its end`;
    const isRun = this.header.readBigUInt64LE(0) === BigInt(first) && (this.header.readUInt16LE(18) & P_OVERFLOW) !== 0;
    return isRun && this.header.readUInt32LE(20) === count ? undefined : `page ${first} is not of a large value`;
  }

  private read(target: Buffer, pageNumber: number): boolean {
    if (pageNumber >= this.pageCount) return false;
    return readSync(this.descriptor, target, 0, target.length, pageNumber * this.pageBytes) === target.length;
  }
}

import { readSync } from 'node:fs';
import {
  DEPTH_MAX,
  HEADER_BYTES,
  INTEGER_KEYS,
  NODE_BIG,
  NODE_BYTES,
  NODE_TABLE,
  P_BRANCH,
  P_KINDS,
  P_LEAF,
  P_OVERFLOW,
  RUN_BYTES,
  TREE_BYTES,
  type TreeFacts,
  treeAt,
} from './file-format.js';
import { isSound } from './row-sums.js';

export interface WalkedFile {
  readonly pageBytes: number;
  readonly fileBytes: number;
  /** The highest page in use. */
  readonly lastPage: number;
  /** Number of the last commit: no page has a later one. */
  readonly commit: number;
  readonly freeTree: TreeFacts;
  readonly mainTree: TreeFacts;
}

export interface WalkOptions {
  /** Name of the table whose presence says that rows have checksums: they are verified then. */
  readonly sumsTable?: string;
  /** The time limit, by performance.now(). */
  readonly untilMs?: number;
  /** Whether to stop as soon as the pace of the walk shows that it cannot finish in time. */
  readonly onlyWhole?: boolean;
}

export interface Walked {
  /** What is wrong with the first bad page; undefined when nothing was found. */
  readonly damage: string | undefined;
  /** False when the time limit came first. */
  readonly isWhole: boolean;
}

/** What a tree contains, and the callback for its leaves. */
interface TreeKind {
  readonly isFree: boolean;
  readonly hasSums: boolean;
  readonly onTable?: (name: string, facts: TreeFacts) => void;
  readonly onValue?: (value: Buffer) => void;
}

/** A tree with the counts of the walk. */
interface Tree extends TreeKind {
  readonly facts: TreeFacts;
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
}

/** The location of one key in a page that stays in memory while its children are walked. */
interface KeyLocation {
  readonly page: Buffer;
  readonly from: number;
  readonly to: number;
}

class Damaged extends Error {}
class OutOfTime extends Error {}

/** Pages between two looks at the clock. */
const CLOCK_PAGES = 64;
/** How long a walk runs before its pace is judged, in milliseconds. */
const PACE_AFTER_MS = 300;
/**
 * The walk stops when its pace predicts this multiple of the time limit: pages of one tree are read faster than those
 * of another.
 */
const PACE_SLACK = 2;

/**
 * Walks the trees of a store's file by reading it, without mapping it, so that damage which LMDB would follow blindly
 * is reported. Every page must be what its parent says, its nodes must lie within it, keys must ascend, counts must
 * equal those of the tree, and no page may be used twice or listed as free while it is in use. O(pages), O(bytes) with
 * checksums; memory: a bit for each page.
 */
export class PageWalk {
  private readonly descriptor: number;
  private readonly file: WalkedFile;
  private readonly options: WalkOptions;
  private readonly used: Uint8Array;
  private readonly levels: Buffer[] = [];
  private readonly header = Buffer.alloc(HEADER_BYTES);
  private readonly pageCount: number;
  private pagesSeen = 0;
  private pagesUntilLook = 0;
  /** Pages of all trees, as far as known. */
  private pagesKnown = Number.POSITIVE_INFINITY;
  private readonly startedMs = performance.now();
  private run = Buffer.alloc(0);

  constructor(descriptor: number, file: WalkedFile, options: WalkOptions = {}) {
    this.descriptor = descriptor;
    this.file = file;
    this.options = options;
    this.pageCount = Math.min(Math.floor(file.fileBytes / file.pageBytes), file.lastPage + 1);
    this.used = new Uint8Array(Math.ceil((this.pageCount + 1) / 8));
  }

  walk(): Walked {
    try {
      this.walkAll();
      return { damage: undefined, isWhole: true };
    } catch (error) {
      if (error instanceof OutOfTime) return { damage: undefined, isWhole: false };
      if (error instanceof Damaged) return { damage: error.message, isWhole: true };
      throw error;
    }
  }

  private walkAll(): void {
    const { freeTree, mainTree } = this.file;
    const tables: [name: string, facts: TreeFacts][] = [];
    const main = { isFree: false, hasSums: false, onTable: (...table: [string, TreeFacts]) => tables.push(table) };
    this.walkTree(mainTree, main);
    const { sumsTable } = this.options;
    const hasSums = sumsTable !== undefined && tables.some(([name]) => name === sumsTable);
    this.pagesKnown = [mainTree, freeTree, ...tables.map(([, facts]) => facts)].reduce(
      (sum, { branchPages, leafPages, overflowPages }) => sum + branchPages + leafPages + overflowPages,
      0,
    );
    for (const [, facts] of tables) this.walkTree(facts, { isFree: false, hasSums });
    const lists: Buffer[] = [];
    this.walkTree(freeTree, {
      isFree: true,
      hasSums: false,
      onValue: (value) => lists.push(Buffer.from(value)),
    });
    for (const list of lists) this.checkFree(list);
  }

  private walkTree(facts: TreeFacts, kind: TreeKind): void {
    const tree: Tree = { facts, ...kind, branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    const { root, depth, flags } = facts;
    if (flags !== (kind.isFree ? INTEGER_KEYS : 0)) throw new Damaged(`a tree has the flags ${flags}`);
    if (depth > DEPTH_MAX || (root === undefined) !== (depth === 0)) throw new Damaged(`a tree has the depth ${depth}`);
    if (root !== undefined) this.follow(tree, root, 1);
    for (const name of ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const) {
      if (tree[name] !== facts[name]) throw new Damaged(`a tree has ${tree[name]} ${name}, and says ${facts[name]}`);
    }
  }

  /** Checks a page and its subtree, whose keys must be at least `low` and less than `high`. */
  private follow(tree: Tree, pageNumber: number, level: number, low?: KeyLocation, high?: KeyLocation): void {
    const isLeaf = level === tree.facts.depth;
    const page = this.pageOf(pageNumber, level, isLeaf ? P_LEAF : P_BRANCH);
    if (isLeaf) tree.leafPages += 1;
    else tree.branchPages += 1;
    const nodes = this.nodesOf(page, pageNumber, isLeaf);
    this.checkOrder(tree, { page, pageNumber, isLeaf }, nodes, low, high);
    for (let node = 0; node < nodes.length; node++) {
      const at = nodes[node]!;
      if (isLeaf) {
        tree.entries += 1;
        this.checkValue(tree, page, pageNumber, at);
        continue;
      }
      const child = page.readUInt16LE(at) + page.readUInt16LE(at + 2) * 2 ** 16 + page.readUInt16LE(at + 4) * 2 ** 32;
      const from = node === 0 ? low : keyAt(page, at);
      const to = node + 1 === nodes.length ? high : keyAt(page, nodes[node + 1]!);
      this.follow(tree, child, level + 1, from, to);
    }
  }

  private pageOf(pageNumber: number, level: number, kind: number): Buffer {
    this.pagesSeen += 1;
    if (this.pagesUntilLook-- <= 0) this.lookAtClock();
    this.use(pageNumber, 1);
    this.levels[level] ??= Buffer.alloc(this.file.pageBytes);
    const page = this.levels[level]!;
    this.read(page, pageNumber);
    const isKind = (page.readUInt16LE(18) & P_KINDS) === kind && page.readUInt16LE(16) === 0;
    if (page.readBigUInt64LE(0) !== BigInt(pageNumber) || !isKind)
      throw new Damaged(`page ${pageNumber} is not of a tree`);
    const commit = Number(page.readBigUInt64LE(8));
    // every commit rewrites the root of the tables
    if (commit > this.file.commit || (pageNumber === this.file.mainTree.root && commit !== this.file.commit))
      throw new Damaged(`page ${pageNumber} is of the commit ${commit}, not of ${this.file.commit}`);
    return page;
  }

  /** Ends the walk when its time limit is reached, or clearly will be. */
  private lookAtClock(): void {
    this.pagesUntilLook = CLOCK_PAGES;
    const { untilMs, onlyWhole } = this.options;
    if (untilMs === undefined) return;
    const nowMs = performance.now();
    const spentMs = nowMs - this.startedMs;
    const leftMs = (spentMs / this.pagesSeen) * (this.pagesKnown - this.pagesSeen);
    const isHopeless = spentMs > PACE_AFTER_MS && Number.isFinite(leftMs) && leftMs > PACE_SLACK * (untilMs - nowMs);
    if (nowMs > untilMs || (onlyWhole === true && isHopeless)) throw new OutOfTime();
  }

  /** Offsets of the nodes of a page, in their order: none may leave the page or overlap another. */
  private nodesOf(page: Buffer, pageNumber: number, isLeaf: boolean): number[] {
    const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
    const capacity = this.file.pageBytes - HEADER_BYTES;
    const wrong = new Damaged(`page ${pageNumber} has a wrong entry`);
    // LMDB never leaves a branch with fewer than two children, or a leaf without a row
    if (lower % 2 === 1 || lower < (isLeaf ? 2 : 4) || lower > upper || upper > capacity) throw wrong;
    const nodes: number[] = [];
    let bytes = 0;
    for (let pointer = 0; pointer < lower; pointer += 2) {
      const offset = page.readUInt16LE(HEADER_BYTES + pointer);
      if (offset < upper || offset + NODE_BYTES > capacity || offset % 2 === 1) throw wrong;
      const at = offset + HEADER_BYTES;
      const nodeBytes = NODE_BYTES + page.readUInt16LE(at + 6) + (isLeaf ? inlineBytes(page, at) : 0);
      if (offset + nodeBytes > capacity) throw wrong;
      bytes += nodeBytes + (nodeBytes % 2);
      nodes.push(at);
    }
    if (bytes !== capacity - upper) throw wrong;
    return nodes;
  }

  private checkOrder(
    tree: Tree,
    { page, pageNumber, isLeaf }: { readonly page: Buffer; readonly pageNumber: number; readonly isLeaf: boolean },
    nodes: readonly number[],
    low: KeyLocation | undefined,
    high: KeyLocation | undefined,
  ): void {
    const order = tree.isFree ? orderOfNumbers : orderOfBytes;
    let before = low;
    let isAbove = false;
    // the first key of a branch stands for all keys below the second, and is not compared
    for (let node = isLeaf ? 0 : 1; node < nodes.length; node++) {
      const key = keyAt(page, nodes[node]!);
      const isWrong = key.to === key.from || (tree.isFree && key.to - key.from !== 8);
      if (isWrong || (before !== undefined && order(before, key) > (isAbove ? -1 : 0)))
        throw new Damaged(`page ${pageNumber} has keys out of order`);
      before = key;
      isAbove = true;
    }
    if (before !== undefined && high !== undefined && order(before, high) >= 0)
      throw new Damaged(`page ${pageNumber} has keys out of order`);
  }

  private checkValue(tree: Tree, page: Buffer, pageNumber: number, at: number): void {
    const kind = page.readUInt16LE(at + 4);
    const key = keyAt(page, at);
    const bytes = page.readUInt32LE(at);
    if (kind === NODE_TABLE && tree.onTable !== undefined && bytes === TREE_BYTES) {
      const name = page.toString('latin1', key.from, key.to - 1);
      tree.onTable(name, treeAt(page, key.to));
      return;
    }
    if ((kind !== 0 && kind !== NODE_BIG) || tree.onTable !== undefined)
      throw new Damaged(`page ${pageNumber} has a wrong entry`);
    const value = kind === NODE_BIG ? this.runOf(tree, page, key.to, bytes) : page.subarray(key.to, key.to + bytes);
    if (value === undefined) return;
    tree.onValue?.(value);
    if (tree.hasSums && !isSound(page.subarray(key.from, key.to), value))
      throw new Damaged(`a row on page ${pageNumber} is not as it was written`);
  }

  /**
   * A run of pages with one large value: only its first page has a header, the others are all value. It is read only if
   * checksums are verified.
   */
  private runOf(tree: Tree, page: Buffer, at: number, bytes: number): Buffer | undefined {
    const [first, count] = [Number(page.readBigUInt64LE(at)), Number(page.readBigUInt64LE(at + 16))];
    const wrong = new Damaged(`page ${first} is not of a large value`);
    // there may be more pages where a transaction replaced its own value by a shorter one
    if (count < Math.ceil((HEADER_BYTES + bytes) / this.file.pageBytes)) throw wrong;
    this.use(first, count);
    this.read(this.header, first);
    const isRun =
      this.header.readBigUInt64LE(0) === BigInt(first) && (this.header.readUInt16LE(18) & P_KINDS) === P_OVERFLOW;
    if (!isRun || this.header.readUInt32LE(20) !== count || this.header.readBigUInt64LE(8) > BigInt(this.file.commit))
      throw wrong;
    tree.overflowPages += count;
    this.pagesSeen += count;
    if (!tree.isFree && !tree.hasSums) return undefined;
    if (this.run.length < HEADER_BYTES + bytes) this.run = Buffer.alloc(HEADER_BYTES + bytes * 2);
    this.read(this.run.subarray(0, HEADER_BYTES + bytes), first);
    return this.run.subarray(HEADER_BYTES, HEADER_BYTES + bytes);
  }

  /**
   * `[u64 count]`, then pages as i64: a page, or a negative number of pages followed by the first of them; zeros are
   * unused.
   */
  private checkFree(list: Buffer): void {
    const count = list.length < 8 ? 0 : Number(list.readBigUInt64LE(0));
    if (list.length % 8 !== 0 || count > list.length / 8 - 1) throw new Damaged('the list of free pages is wrong');
    for (let at = 1; at <= count; at++) {
      const entry = Number(list.readBigInt64LE(at * 8));
      if (entry === 0) continue;
      if (entry > 0) this.free(entry, 1);
      else if (++at > count) throw new Damaged('the list of free pages is wrong');
      else this.free(Number(list.readBigInt64LE(at * 8)), -entry);
    }
  }

  private free(first: number, count: number): void {
    const { lastPage } = this.file;
    if (first < 2 || first + count - 1 > lastPage)
      throw new Damaged('the list of free pages names one that is not there');
    // pages after the end of a truncated file are never read
    this.use(first, Math.max(0, Math.min(count, this.pageCount - first)));
  }

  /** Every page is used once, or free once. */
  private use(first: number, count: number): void {
    if (!Number.isSafeInteger(first + count) || first < 2 || first + count > this.pageCount) {
      if (count > 0) throw new Damaged(`page ${first + count - 1} is after its end`);
      return;
    }
    for (let page = first; page < first + count; page++) {
      const bit = 1 << (page & 7);
      if ((this.used[page >> 3]! & bit) !== 0) throw new Damaged(`page ${page} is in use twice`);
      this.used[page >> 3]! |= bit;
    }
  }

  private read(target: Buffer, pageNumber: number): void {
    if (readSync(this.descriptor, target, 0, target.length, pageNumber * this.file.pageBytes) !== target.length)
      throw new Damaged(`page ${pageNumber} is after its end`);
  }
}

/** Bytes of a leaf's value within its page. */
function inlineBytes(page: Buffer, at: number): number {
  return (page.readUInt16LE(at + 4) & NODE_BIG) !== 0 ? RUN_BYTES : page.readUInt32LE(at);
}

function keyAt(page: Buffer, at: number): KeyLocation {
  const from = at + NODE_BYTES;
  return { page, from, to: from + page.readUInt16LE(at + 6) };
}

function orderOfBytes(left: KeyLocation, right: KeyLocation): number {
  return left.page.compare(right.page, right.from, right.to, left.from, left.to);
}

function orderOfNumbers(left: KeyLocation, right: KeyLocation): number {
  return Number(left.page.readBigUInt64LE(left.from) - right.page.readBigUInt64LE(right.from));
}

import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readMark } from './damage-mark.js';
import { HEADER_BYTES, INTEGER_KEYS, P_META, TREE_BYTES, type TreeFacts, treeAt } from './file-format.js';
import { PageWalk, type Walked, type WalkOptions } from './page-walk.js';

/** The file with the rows of a store; `lock.mdb` next to it contains nothing that outlives the process. */
export const DATA_FILE = 'data.mdb';

const META_BYTES = 144;
/** Header of a page in files of LMDB 0.9. */
const OTHER_HEADER_BYTES = 16;
const META_MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
/** More address space than any file is mapped into. */
const MAP_BYTES_MAX = 2n ** 46n;
/** Checks of a file whose commits come faster than it can be read. */
const LOOKS_MAX = 5;

/**
 * The contents of the newer of a file's two meta pages: its last commit. Layout: docs/internals/storage-layout.md, "An
 * environment".
 */
export interface FileHead {
  readonly pageBytes: number;
  /** The highest page in use. */
  readonly lastPage: number;
  /** Number of the last commit; 0 before the first. */
  readonly commit: number;
  /** The tree of free pages. */
  readonly freeTree: TreeFacts;
  /** The tree of tables. */
  readonly mainTree: TreeFacts;
}

/** What is known of a store without mapping its file: `head` undefined when there is no file yet. */
export interface FileState {
  readonly head: FileHead | undefined;
  /** Why the file must not be mapped: reading it would end the process. */
  readonly damage: string | undefined;
}

/**
 * Checks the file of a store. Two reads, unless the file is shorter than its last commit says: then every reachable
 * page is checked, because the missing ones may be free, O(pages). A file that a start found damaged stays damaged
 * until a later start finds it whole.
 */
export function inspectStoreFile(folder: string): FileState {
  const damage = readMark(folder);
  return damage === undefined ? inspectFile(folder) : { head: undefined, damage };
}

/**
 * Checks every page of a file that nobody has open, and every row that has a checksum (page-walk.ts), up to the time
 * limit.
 */
export function walkStoreFile(folder: string, options: WalkOptions): Walked {
  const { head, damage } = inspectFile(folder);
  if (damage !== undefined || head === undefined) return { damage, isWhole: true };
  const descriptor = openSync(join(folder, DATA_FILE), 'r');
  try {
    const fileBytes = fstatSync(descriptor).size;
    const walked = new PageWalk(descriptor, { ...head, fileBytes }, options).walk();
    if (walked.damage !== undefined || !walked.isWhole) return walked;
    return { damage: lostCommit(descriptor, head, fileBytes), isWhole: true };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The same for a file that others may be writing to: a check counts only when no commit happened during it, because
 * then nobody changed a page that the last commit uses or lists as free. Returns what is wrong; undefined when nothing
 * was found, or at the time limit.
 */
export function walkOpenStore(folder: string, options: WalkOptions): string | undefined {
  for (let look = 1; look <= LOOKS_MAX; look++) {
    const commit = lastCommitOf(folder);
    const { damage } = walkStoreFile(folder, options);
    if (damage === undefined || commit === lastCommitOf(folder)) return damage;
  }
  return undefined;
}

/**
 * Detects a newer head that claims to be the older one because its number is damaged: everything it refers to exists
 * and is newer. Heads of consecutive commits are not checked. A power cut may leave other differences, so nothing less
 * than all of these signs counts.
 */
function lostCommit(descriptor: number, head: FileHead, fileBytes: number): string | undefined {
  const heads = [readMeta(descriptor, 0), readMeta(descriptor, head.pageBytes)];
  const other = heads.find((one) => typeof one === 'object' && one.commit !== head.commit);
  if (typeof other !== 'object' || head.commit - other.commit === 1 || other.mainTree.root === undefined)
    return undefined;
  const page = Buffer.alloc(HEADER_BYTES);
  if (readSync(descriptor, page, 0, HEADER_BYTES, other.mainTree.root * head.pageBytes) < HEADER_BYTES)
    return undefined;
  const commit = Number(page.readBigUInt64LE(8));
  if (commit <= head.commit) return undefined;
  const { damage } = new PageWalk(descriptor, { ...other, commit, fileBytes }).walk();
  return damage === undefined ? `its head of the commit ${commit} says it is of ${other.commit}` : undefined;
}

function inspectFile(folder: string): FileState {
  let descriptor: number;
  try {
    descriptor = openSync(join(folder, DATA_FILE), 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { head: undefined, damage: undefined };
    throw error;
  }
  try {
    for (let look = 1; ; look++) {
      const state = inspect(descriptor);
      if (state.damage === undefined || look === LOOKS_MAX) return state;
      const again = readHead(descriptor);
      if (typeof again === 'string' || again?.commit === state.head?.commit) return state;
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Number of the last commit of the store of a folder, by two reads of its file; undefined when there is none or it
 * cannot be read. Every commit that changes something has its own number.
 */
export function lastCommitOf(folder: string): number | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(join(folder, DATA_FILE), 'r');
  } catch {
    return undefined;
  }
  try {
    const head = readHead(descriptor);
    return typeof head === 'string' ? undefined : head?.commit;
  } finally {
    closeSync(descriptor);
  }
}

/** Size of the file of a store; undefined when there is none, also where its folder is a file, or one of them a link to itself. */
export function storeBytes(folder: string): number | undefined {
  try {
    const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? statSync(join(folder, DATA_FILE), { throwIfNoEntry: false })?.size : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined;
    throw error;
  }
}

/**
 * What the file of a store holds: `missing`: there is none; `void`: it has no byte; `unused`: it never had a row;
 * `used`: it has tables, or is damaged (checkStore). Two reads.
 */
export type StoreUse = 'missing' | 'void' | 'unused' | 'used';

export function storeUse(folder: string): StoreUse {
  const bytes = storeBytes(folder);
  if (bytes === undefined) return 'missing';
  if (bytes === 0) return 'void';
  const { head, damage } = inspectFile(folder);
  return damage === undefined && head?.mainTree.root === undefined ? 'unused' : 'used';
}

/**
 * Who wrote the file of a folder: `own`, by the library of this package; `other`, by LMDB as it is elsewhere, whose pages
 * have a shorter header; undefined when it is neither, or cannot be read. One read.
 */
export function storeOrigin(folder: string): 'own' | 'other' | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES + 4);
  try {
    const descriptor = openSync(join(folder, DATA_FILE), 'r');
    try {
      readSync(descriptor, bytes, 0, bytes.length, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
  if (bytes.readUInt32LE(HEADER_BYTES) === META_MAGIC) return 'own';
  return bytes.readUInt32LE(OTHER_HEADER_BYTES) === META_MAGIC ? 'other' : undefined;
}

/**
 * True for files written by the compacting copy of earlier releases and never written to since: they lack the list of
 * free pages, and the first larger write ends the process. Their contents are complete.
 */
export function lacksFreeList({ commit, freeTree }: FileHead): boolean {
  // every commit but the first frees at least the page it replaces
  return commit > 1 && freeTree.root === undefined;
}

function inspect(descriptor: number): FileState {
  const head = readHead(descriptor);
  if (head === undefined || typeof head === 'string') return { head: undefined, damage: head };
  const fileBytes = fstatSync(descriptor).size;
  if (fileBytes >= (head.lastPage + 1) * head.pageBytes) return { head, damage: undefined };
  return { head, damage: new PageWalk(descriptor, { ...head, fileBytes }).walk().damage };
}

/** Undefined for a file without content, an error text for a file that is no store. */
function readHead(descriptor: number): FileHead | string | undefined {
  const first = readMeta(descriptor, 0);
  if (first === undefined) return fstatSync(descriptor).size === 0 ? undefined : 'it ends within its first page';
  if (typeof first === 'string') return first;
  const second = readMeta(descriptor, first.pageBytes);
  if (second === undefined) return 'it ends within its second page';
  if (typeof second === 'string') return second;
  // LMDB writes even commits to the first head and odd ones to the second
  if (first.commit % 2 !== 0 || (second.commit % 2 !== 1 && second.commit !== 0)) return 'its heads have wrong numbers';
  return second.commit > first.commit ? second : first;
}

function readMeta(descriptor: number, from: number): FileHead | string | undefined {
  const page = Buffer.alloc(HEADER_BYTES + META_BYTES);
  try {
    if (readSync(descriptor, page, 0, page.length, from) < page.length) return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return 'it is a folder';
    throw error;
  }
  const meta = page.subarray(HEADER_BYTES);
  const pageBytes = meta.readUInt32LE(24);
  if ((page.readUInt16LE(18) & P_META) === 0 || meta.readUInt32LE(0) !== META_MAGIC)
    return 'its head is no head of a store';
  if ((meta.readUInt32LE(4) & 0xffff) !== DATA_VERSION) return 'it is of another version of the file format';
  if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX || (pageBytes & (pageBytes - 1)) !== 0)
    return `its head names pages of ${pageBytes} bytes`;
  const [freeTree, mainTree] = [treeAt(meta, 24), treeAt(meta, 24 + TREE_BYTES)];
  const isPlain = freeTree.flags === INTEGER_KEYS && mainTree.flags === 0;
  const [mapAddress, mapBytes, lastPage] = [8, 16, 120].map((at) => meta.readBigUInt64LE(at)) as [
    bigint,
    bigint,
    bigint,
  ];
  const fits = mapBytes <= MAP_BYTES_MAX && (lastPage + 1n) * BigInt(pageBytes) <= mapBytes;
  if (!isPlain || !fits || mapAddress !== 0n) return 'its head says what no head of ours does';
  return {
    pageBytes,
    lastPage: Number(lastPage),
    commit: Number(meta.readBigUInt64LE(128)),
    freeTree,
    mainTree,
  };
}

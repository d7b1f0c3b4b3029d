import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { PageWalk } from './page-walk.js';

/** The file of a store that holds its rows; beside it `lock.mdb` holds nothing that outlives the process. */
export const DATA_FILE = 'data.mdb';

const META_BYTES = 144;
const META_MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const P_META = 8;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
/** A root that is no page: the tree is empty. */
const NO_PAGE = 2n ** 64n - 1n;
/** Looks at a file whose commits come faster than it is read. */
const LOOKS_MAX = 5;

/** What the newer of the two first pages of a file says: its last commit. Layout: docs/storage-layout.md, "An environment". */
export interface FileHead {
  readonly pageBytes: number;
  /** The highest page in use. */
  readonly lastPage: number;
  /** Number of the last commit; 0 before the first. */
  readonly commit: number;
  /** Root of the tree of free pages; undefined when it is empty. */
  readonly freeRoot: number | undefined;
  /** Root of the tree of tables; undefined when it is empty. */
  readonly mainRoot: number | undefined;
}

/** What is known of a store without mapping its file: `head` undefined when there is no file yet. */
export interface FileState {
  readonly head: FileHead | undefined;
  /** Why the file must not be mapped: reading it would end the process. */
  readonly damage: string | undefined;
}

/**
 * Looks at the file of a store. Two reads, unless the file is shorter than its last commit says: then every page that can be reached
 * is looked at, for the missing ones may be free, O(pages).
 */
export function inspectStoreFile(folder: string): FileState {
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
 * Number of the last commit of the store of a folder, by two reads of its file; undefined when there is none or it cannot be read.
 * Every commit that changes something has a number of its own.
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

/**
 * True for files written by the compacting copy of earlier releases and never written to since: they lack the list of free pages,
 * and the first larger write to one ends the process. What is in them is whole.
 */
export function lacksFreeList({ commit, freeRoot }: FileHead): boolean {
  // every commit but the first frees at least the page it replaces
  return commit > 1 && freeRoot === undefined;
}

function inspect(descriptor: number): FileState {
  const head = readHead(descriptor);
  if (head === undefined || typeof head === 'string') return { head: undefined, damage: head };
  const fileBytes = fstatSync(descriptor).size;
  if (fileBytes >= (head.lastPage + 1) * head.pageBytes) return { head, damage: undefined };
  const roots = [head.freeRoot, head.mainRoot].filter((root) => root !== undefined);
  return { head, damage: new PageWalk(descriptor, head.pageBytes, fileBytes).firstDamage(roots) };
}

/** Undefined for a file without content, a text for one that is no store. */
function readHead(descriptor: number): FileHead | string | undefined {
  const first = readMeta(descriptor, 0);
  if (first === undefined) return fstatSync(descriptor).size === 0 ? undefined : 'it ends within its first page';
  if (typeof first === 'string') return first;
  const second = readMeta(descriptor, first.pageBytes);
  if (second === undefined) return 'it ends within its second page';
  if (typeof second === 'string') return second;
  return second.commit > first.commit ? second : first;
}

function readMeta(descriptor: number, from: number): FileHead | string | undefined {
  const page = Buffer.alloc(24 + META_BYTES);
  if (readSync(descriptor, page, 0, page.length, from) < page.length) return undefined;
  const meta = page.subarray(24);
  const pageBytes = meta.readUInt32LE(24);
  if ((page.readUInt16LE(18) & P_META) === 0 || meta.readUInt32LE(0) !== META_MAGIC)
    return 'its head is no head of a store';
  if ((meta.readUInt32LE(4) & 0xffff) !== DATA_VERSION) return 'it is of another version of the file format';
  if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX) return `its head names pages of ${pageBytes} bytes`;
  return {
    pageBytes,
    lastPage: Number(meta.readBigUInt64LE(120)),
    commit: Number(meta.readBigUInt64LE(128)),
    freeRoot: rootAt(meta, 24 + 40),
    mainRoot: rootAt(meta, 72 + 40),
  };
}

function rootAt(meta: Buffer, at: number): number | undefined {
  const root = meta.readBigUInt64LE(at);
  return root === NO_PAGE ? undefined : Number(root);
}

import { faultPoint } from '@fossick/base';
import type { MergePlan } from '@fossick/format';
import { type IndexManifest, type RowSource, readManifest, rowsOf, type SegmentInfo } from '@fossick/format';
import { createKernel, type Kernel } from '@fossick/kernel';
import { type MergeAccounts, mergeBytesMax, type SharedMergeAccount } from '@fossick/kernel/memory';
import type { Store } from '@fossick/storage';
import { hasVectorGraph, vectorMergeBytes } from '@fossick/vectors';
import { readDeleted } from '../documents/document-sets.js';
import { deleteMoreObsolete } from '../documents/obsolete-segments.js';
import { MergeEstimates } from './merge-estimates.js';
import {
  ALWAYS_FITS,
  chooseMerge,
  type MergeFits,
  mergeBytesWithin,
  SEGMENTS_HELD_MAX,
  SEGMENTS_MAX,
  vectorBytesWithin,
} from './merge-policy.js';
import { MergeHere, type MergeWork } from './merge-work.js';
import { isMergeLeft, RunningMerge, removeMergeLeft } from './running-merge.js';
import { AT_REST, BESIDE_BATCHES, chooseSettled } from './settle-policy.js';

/** Bytes of rows that one commit of a merge puts: a waiting update waits for that long, some 20 ms. */
const PIECE_BYTES_MAX = 1 << 20;
/** Share of the indexing memory for these rows. */
const PIECE_SHARE = 1 / 64;
/** Approximate bytes of columns and counts per document. */
const DOC_BYTES = 64;
/**
 * Merges of fewer bytes would be done before a thread has started; and the share of the indexing memory below which
 * that holds.
 */
const THREAD_BYTES_MIN = 4 << 20;
const THREAD_SHARE = 1 / 16;
/** How long one wait for the next rows of a merge takes, and how often it polls, in milliseconds. */
const WAIT_MS = 20;
const LOOK_MS = 2;
/**
 * How long merges may run after a batch that leaves no idle time, in milliseconds, and as a share of the batch's own
 * time: what a merging thread makes during a batch is put in an eighth of that.
 */
const CATCH_UP_MS = 50;
const CATCH_UP_SHARE = 1 / 8;

/** The longest wait for the threads of merges at the end, in milliseconds. */
const STOP_MS = 5_000;

export interface MergerOptions {
  readonly maxIndexingBytes: number;
  /** Makes a large merge in a thread of its own, so that the writer only puts its rows; absent: all are made here. */
  readonly mergeInThread?: ((folder: string, plan: MergePlan, account?: SharedMergeAccount) => MergeWork) | undefined;
  /** Where merging threads count their memory; absent: nobody searches meanwhile. */
  readonly accounts?: MergeAccounts | undefined;
  /** The limit of searches: with accounts, a merge takes at most a part of it. */
  readonly maxSearchBytes: number;
}

/** A batch that was committed. */
export interface BatchDone {
  readonly segmentCount: number;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** Whether it is one of many large ones: it is large, and the next is waiting, so that merges have no idle time. */
  readonly isLoad: boolean;
}

/**
 * Which merges may begin: all that reduce the number of segments, those that batches leave no time for, or only such
 * that make large segments.
 */
type Need = 'idle' | 'behind' | 'large';

/** The segments to merge next, and the bytes that their vectors need. */
interface Choice {
  readonly chosen: readonly SegmentInfo[];
  readonly vectorBytesOf: (segment: SegmentInfo) => number;
}

/** Merges the segments of every index, a piece at a time. */
export class Merger {
  /** Bytes that indexing may take. */
  readonly maxIndexingBytes: number;
  private readonly options: MergerOptions;
  private readonly running = new Map<string, RunningMerge>();
  /** Threads of merges that are over, until they have ended. */
  private readonly ending = new Set<Promise<void>>();
  private readonly bytesMax: number;
  private readonly vectorBytesMax: number;
  private readonly pieceBytes: number;
  /** Merges of fewer bytes need no thread. */
  private readonly threadBytesMin: number;
  private readonly estimates = new WeakMap<Store, MergeEstimates>();

  constructor(options: MergerOptions) {
    this.options = options;
    this.maxIndexingBytes = options.maxIndexingBytes;
    this.bytesMax = mergeBytesWithin(options.maxIndexingBytes);
    this.vectorBytesMax = vectorBytesWithin(options.maxIndexingBytes);
    this.pieceBytes = Math.min(PIECE_BYTES_MAX, options.maxIndexingBytes * PIECE_SHARE);
    this.threadBytesMin = Math.min(THREAD_BYTES_MIN, options.maxIndexingBytes * THREAD_SHARE);
  }

  /** Resolves when the merge of the index in `folder` has rows to put, or after a timeout. */
  async wait(folder: string): Promise<void> {
    for (let waitedMs = 0; waitedMs < WAIT_MS && this.running.get(folder)?.isReady === false; waitedMs += LOOK_MS)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }

  /**
   * Does one piece of a merge of the index in `folder`, starting a merge if the tiers need one, or deletes rows of
   * dropped segments; false when there is nothing to do. After a fault the merge starts again.
   */
  mergePiece(folder: string, store: Store, kernel: Kernel, need: Need): boolean {
    const running = this.running.get(folder);
    // What the next merge writes goes where the last one's sources were, instead of making the file longer.
    if (running === undefined && deleteLeft(store)) return true;
    const merge = running ?? this.begin(folder, store, kernel, need);
    if (merge === undefined) return false;
    if (merge.isReady) this.advance(folder, store, merge);
    else this.mergeBeside(merge, store, kernel);
    return true;
  }

  /**
   * Puts rows that a merging thread has ready: called between two commits of a batch; the merge itself may only end
   * after the batch.
   */
  putMade(folder: string, store: Store): void {
    const merge = this.running.get(folder);
    if (merge?.isReady !== true) return;
    try {
      store.transaction((rows) => merge.putMade(rows), 'later');
    } catch {
      this.forget(folder);
    }
  }

  /**
   * Called after a batch. In a load, large merges go on in parallel with the batches, and these wait for them when there are too
   * many segments, so that it ends with few. Otherwise merges wait for idle time unless there are too many segments, and
   * only far too many make a batch wait.
   */
  catchUp(folder: string, store: Store, kernel: Kernel, { segmentCount, durationMs, isLoad }: BatchDone): void {
    const untilMs = performance.now() + Math.max(CATCH_UP_MS, durationMs * CATCH_UP_SHARE);
    const heldMax = isLoad ? SEGMENTS_MAX : SEGMENTS_HELD_MAX;
    quietly(() => {
      for (let count = segmentCount; ; count = readManifest(rowsOf(store)).segments.length) {
        const isBehind = count > SEGMENTS_MAX;
        const isHeld = count > heldMax;
        if (!isBehind && !isLoad) return;
        if (!isHeld && performance.now() >= untilMs) return;
        const waiting = this.running.get(folder);
        const isWaiting = waiting?.isReady === false && !this.mergeBeside(waiting, store, kernel);
        if (isWaiting && !isHeld) return;
        if (isWaiting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
        else if (!this.mergePiece(folder, store, kernel, isBehind ? 'behind' : 'large')) return;
      }
    });
  }

  /**
   * Whether `mergePiece` has something to do in an index without a running merge, including rows that an aborted merge
   * left. O(segments)
   */
  isDue(store: Store): boolean {
    const rows = rowsOf(store);
    const manifest = readManifest(rows);
    // prepareStore upgrades an index before its merges
    if (manifest.numberForm !== 'exact') return true;
    return isMergeLeft(rows) || manifest.obsolete.length > 0 || this.choose(store, manifest, 'idle').chosen.length > 0;
  }

  /** Whether a merge of the index in `folder` is running. */
  isRunning(folder: string): boolean {
    return this.running.has(folder);
  }

  /** Aborts the merge of an index that is deleted or moved, and removes its rows. */
  abandon(folder: string, store: Store): void {
    this.forget(folder);
    if (isMergeLeft(rowsOf(store))) store.transaction(removeMergeLeft);
  }

  /** The same for an index whose file is deleted. */
  forget(folder: string): void {
    const merge = this.running.get(folder);
    if (merge === undefined) return;
    merge.stop();
    this.drop(folder, merge);
  }

  /**
   * Aborts all merges: they start again when the writer is opened again. Resolves when their threads have ended, or
   * after STOP_MS: a thread that the end of the process finds in a call of LMDB aborts the process.
   */
  async stop(): Promise<void> {
    for (const folder of [...this.running.keys()]) this.forget(folder);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([Promise.all(this.ending), late]);
    clearTimeout(timer);
  }

  private drop(folder: string, merge: RunningMerge): void {
    this.running.delete(folder);
    const ended = merge.ended.then(() => {
      this.ending.delete(ended);
    });
    this.ending.add(ended);
  }

  private advance(folder: string, store: Store, merge: RunningMerge): void {
    try {
      // A power cut may undo the last piece, which only costs repeating it: nobody relies on a merge.
      const isAtEnd = store.transaction((rows) => {
        const isOver = merge.advance(rows, readManifest(rows));
        faultPoint('merge.piece');
        return isOver;
      }, 'later');
      faultPoint('merge.committed');
      if (isAtEnd) this.drop(folder, merge);
    } catch (error) {
      this.forget(folder);
      throw error;
    }
  }

  /**
   * Merges small segments at once while a thread merges large ones, which takes long; false when there are none to
   * merge.
   */
  private mergeBeside(running: RunningMerge, store: Store, kernel: Kernel): boolean {
    const manifest = readManifest(rowsOf(store));
    const others = manifest.segments.filter(({ id }) => !running.takes(id));
    const chosen = chooseMerge(others, this.pieceBytes).filter(({ id }) => vectorMergeBytes(rowsOf(store), id) === 0);
    if (chosen.length < 2 || bytesOf(chosen) > this.pieceBytes) return false;
    const sources = chosen.map((info) => ({ info, deletedDocs: readDeleted(rowsOf(store), info.id, manifest) }));
    const plan: MergePlan = { sources, target: manifest.nextSegmentId, manifest };
    const merge = new RunningMerge(plan, new MergeHere(kernel, plan), Number.POSITIVE_INFINITY);
    store.transaction((rows) => merge.advance(rows, readManifest(rows)), 'later');
    return true;
  }

  private begin(folder: string, store: Store, kernel: Kernel, need: Need): RunningMerge | undefined {
    const rows = rowsOf(store);
    if (isMergeLeft(rows)) store.transaction(removeMergeLeft);
    const manifest = readManifest(rows);
    const { chosen, vectorBytesOf } = this.choose(store, manifest, need);
    if (chosen.length === 0) return undefined;
    const sources = chosen.map((info) => ({ info, deletedDocs: readDeleted(rows, info.id, manifest) }));
    const plan: MergePlan = { sources, target: manifest.nextSegmentId, manifest };
    const bytes = bytesOf(chosen) + chosen.reduce((sum, segment) => sum + vectorBytesOf(segment), 0);
    const isWhole = bytes <= this.pieceBytes;
    // Other work uses the shared kernel between the pieces, and may release it.
    const claimedBytes = (): number => this.estimatesOf(store).bytesOf(rows, chosen);
    const work = isWhole ? new MergeHere(kernel, plan) : this.workOn(plan, folder, bytes, claimedBytes);
    const merge = new RunningMerge(plan, work, isWhole ? Number.POSITIVE_INFINITY : this.pieceBytes);
    this.running.set(folder, merge);
    return merge;
  }

  private choose(store: Store, manifest: IndexManifest, need: Need): Choice {
    const rows = rowsOf(store);
    const vectorBytes = new Map(manifest.segments.map(({ id }) => [id, vectorMergeBytes(rows, id)]));
    const vectorBytesOf = ({ id }: SegmentInfo): number => vectorBytes.get(id) ?? 0;
    const hasGraph = ({ id }: SegmentInfo): boolean => hasVectorGraph(rows, id);
    const budget = { bytesOf: vectorBytesOf, hasGraph, bytesMax: this.vectorBytesMax };
    const pace = need === 'idle' ? AT_REST : BESIDE_BATCHES;
    const fits = this.fitsIn(store, rows, manifest);
    const settled = chooseSettled(manifest.segments, this.bytesMax, budget, pace, fits);
    if (settled.length > 0 || need === 'large') return { chosen: settled, vectorBytesOf };
    return { chosen: chooseMerge(manifest.segments, this.bytesMax, budget, fits), vectorBytesOf };
  }

  /**
   * Whether a merge leaves searches their part of the memory. Vectors have a bound of their own, within the memory for
   * indexing: a search walks each graph of vectors, so that these must stay few.
   */
  private fitsIn(store: Store, rows: RowSource, { segments: all }: IndexManifest): MergeFits {
    const { accounts, mergeInThread, maxSearchBytes } = this.options;
    if (accounts === undefined || mergeInThread === undefined) return ALWAYS_FITS;
    const estimates = this.estimatesOf(store);
    estimates.keepOnly(all);
    return (segments) =>
      bytesOf(segments) < this.threadBytesMin ||
      estimates.bytesBesideVectors(rows, segments) <= mergeBytesMax(maxSearchBytes);
  }

  private estimatesOf(store: Store): MergeEstimates {
    const known = this.estimates.get(store) ?? new MergeEstimates();
    this.estimates.set(store, known);
    return known;
  }

  private workOn(plan: MergePlan, folder: string, bytes: number, claimedBytes: () => number): MergeWork {
    const { accounts, mergeInThread } = this.options;
    if (mergeInThread === undefined || bytes < this.threadBytesMin) return new MergeHere(createKernel(), plan);
    const account = accounts?.open(claimedBytes());
    const work = mergeInThread(folder, plan, account);
    void work.ended.then(() => account && accounts?.close(account.merge));
    return work;
  }
}

function bytesOf(segments: readonly SegmentInfo[]): number {
  return segments.reduce((sum, { postingBytes, docCount }) => sum + postingBytes + docCount * DOC_BYTES, 0);
}

/**
 * A failing merge must not fail the batch that runs at the same time: it starts again later, and is reported when nothing else is done.
 */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // the merge was aborted
  }
}

/** Deletes some of the rows that dropped segments left; false when there were none. */
function deleteLeft(store: Store): boolean {
  if (readManifest(rowsOf(store)).obsolete.length === 0) return false;
  return store.transaction((rows) => {
    const isMore = deleteMoreObsolete(rows);
    faultPoint('merge.left');
    return isMore;
  }, 'later');
}

import { faultPoint } from '@fossick/base';
import { createKernel, type Kernel } from '@fossick/kernel';
import {
  deleteMoreObsolete,
  type IndexManifest,
  type RowSource,
  readDeleted,
  readManifest,
  rowsOf,
  type SegmentInfo,
} from '@fossick/segments';
import type { Store } from '@fossick/storage';
import { MergeInThread } from './merge-in-thread.js';
import { hasVectorGraph, vectorMergeBytes } from './merge-memory.js';
import { chooseMerge, mergeBytesWithin, SEGMENTS_HELD_MAX, SEGMENTS_MAX, vectorBytesWithin } from './merge-policy.js';
import type { MergePlan } from './merge-segments.js';
import { MergeHere, type MergeWork } from './merge-work.js';
import { isMergeLeft, RunningMerge, removeMergeLeft } from './running-merge.js';
import { chooseSettled } from './settle-policy.js';

/** Rows put in one commit of a merge: a waiting update waits for so many, some 20 ms. */
const PIECE_BYTES_MAX = 1 << 20;
/** Their share of the memory for indexing. */
const PIECE_SHARE = 1 / 64;
/** Rough bytes of columns and counts that a document has. */
const DOC_BYTES = 64;
/** Merges of fewer bytes are done before a thread for them has started; and their share of the memory for indexing. */
const THREAD_BYTES_MIN = 4 << 20;
const THREAD_SHARE = 1 / 16;
/** How long is waited for the next rows of a merge at a time, in milliseconds, and how often is looked. */
const WAIT_MS = 20;
const LOOK_MS = 2;
/** How long merges take behind a batch when there are too many segments, in milliseconds. */
const KEEP_UP_MS = 50;

export interface MergerOptions {
  readonly maxIndexingBytes: number;
  /** Whether large merges are done in threads of their own; the writer then only puts their rows. */
  readonly isThreaded: boolean;
  /** Where the store of an index is. */
  readonly pathOf: (folder: string) => string;
}

/** The segments to merge next, and what their vectors take. */
interface Choice {
  readonly chosen: readonly SegmentInfo[];
  readonly vectorBytesOf: (segment: SegmentInfo) => number;
}

/** Merges the segments of every index, a piece at a time. */
export class Merger {
  private readonly options: MergerOptions;
  private readonly running = new Map<string, RunningMerge>();
  private readonly bytesMax: number;
  private readonly vectorBytesMax: number;
  private readonly pieceBytes: number;

  constructor(options: MergerOptions) {
    this.options = options;
    this.bytesMax = mergeBytesWithin(options.maxIndexingBytes);
    this.vectorBytesMax = vectorBytesWithin(options.maxIndexingBytes);
    this.pieceBytes = Math.min(PIECE_BYTES_MAX, options.maxIndexingBytes * PIECE_SHARE);
  }

  /** Resolves when the merge of the index in `folder` has something to put, or a little later. */
  async wait(folder: string): Promise<void> {
    for (let waitedMs = 0; waitedMs < WAIT_MS && this.running.get(folder)?.isReady === false; waitedMs += LOOK_MS)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }

  /**
   * One piece of a merge of the index in `folder`, begun here if the tiers ask for one, or of the rows that dropped segments left; false
   * when there is nothing to do. After a fault the merge begins anew. `isIdle`: nothing else is to be written, so there is time to make few segments of many.
   */
  mergePiece(folder: string, store: Store, kernel: Kernel, isIdle = false): boolean {
    const running = this.running.get(folder);
    // What the next merge writes goes where the last one's sources were, instead of making the file longer.
    if (running === undefined && deleteLeft(store)) return true;
    const merge = running ?? this.begin(folder, store, kernel, isIdle);
    if (merge === undefined) return false;
    if (merge.isReady) this.advance(folder, store, merge);
    else this.mergeBeside(merge, store, kernel);
    return true;
  }

  /** Takes rows from a thread that merges, when they are there: between two commits of a batch, behind which the merge may end. */
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
   * To be called behind a batch: when batches leave no time for merges, and segments have become too many, one is begun beside them, and
   * waited for when they are far too many.
   */
  keepUp(folder: string, store: Store, kernel: Kernel, segmentCount: number): void {
    const untilMs = performance.now() + KEEP_UP_MS;
    quietly(() => {
      for (let count = segmentCount; count > SEGMENTS_MAX; count = readManifest(rowsOf(store)).segments.length) {
        const isHeld = count > SEGMENTS_HELD_MAX;
        if (!isHeld && performance.now() >= untilMs) return;
        const waiting = this.running.get(folder);
        const isWaiting = waiting?.isReady === false && !this.mergeBeside(waiting, store, kernel);
        if (isWaiting && !isHeld) return;
        if (isWaiting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
        else if (!this.mergePiece(folder, store, kernel)) return;
      }
    });
  }

  /** Whether `mergePiece` has something to do in an index where no merge is under way, be it the rest of one that was broken off. O(segments). */
  isDue(store: Store): boolean {
    const rows = rowsOf(store);
    const manifest = readManifest(rows);
    return isMergeLeft(rows) || manifest.obsolete.length > 0 || this.choose(rows, manifest, true).chosen.length > 0;
  }

  /** Whether a merge of the index in `folder` is under way. */
  isRunning(folder: string): boolean {
    return this.running.has(folder);
  }

  /** Gives up the merge of an index that goes, or goes elsewhere, and removes its rows. */
  abandon(folder: string, store: Store): void {
    this.forget(folder);
    if (isMergeLeft(rowsOf(store))) store.transaction(removeMergeLeft);
  }

  /** The same for an index whose file is deleted. */
  forget(folder: string): void {
    this.running.get(folder)?.stop();
    this.running.delete(folder);
  }

  /** Gives up all merges: they begin anew when the writer is opened again. */
  stop(): void {
    for (const folder of [...this.running.keys()]) this.forget(folder);
  }

  private advance(folder: string, store: Store, merge: RunningMerge): void {
    try {
      // A power cut may undo the last piece, which costs the work on it: nobody was promised a merge.
      const isAtEnd = store.transaction((rows) => {
        const isOver = merge.advance(rows, readManifest(rows));
        faultPoint('merge.piece');
        return isOver;
      }, 'later');
      faultPoint('merge.committed');
      if (isAtEnd) this.running.delete(folder);
    } catch (error) {
      this.forget(folder);
      throw error;
    }
  }

  /** Merges small segments at once while a thread is at large ones, which takes long; false when there are none to be merged. */
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

  private begin(folder: string, store: Store, kernel: Kernel, isIdle: boolean): RunningMerge | undefined {
    const rows = rowsOf(store);
    if (isMergeLeft(rows)) store.transaction(removeMergeLeft);
    const manifest = readManifest(rows);
    const { chosen, vectorBytesOf } = this.choose(rows, manifest, isIdle);
    if (chosen.length === 0) return undefined;
    const sources = chosen.map((info) => ({ info, deletedDocs: readDeleted(rows, info.id, manifest) }));
    const plan: MergePlan = { sources, target: manifest.nextSegmentId, manifest };
    const bytes = bytesOf(chosen) + chosen.reduce((sum, segment) => sum + vectorBytesOf(segment), 0);
    const isWhole = bytes <= this.pieceBytes;
    // Others use the shared kernel between the pieces, and may let go of it.
    const work = isWhole ? new MergeHere(kernel, plan) : this.workOn(plan, folder, bytes);
    const merge = new RunningMerge(plan, work, isWhole ? Number.POSITIVE_INFINITY : this.pieceBytes);
    this.running.set(folder, merge);
    return merge;
  }

  private choose(rows: RowSource, manifest: IndexManifest, isIdle: boolean): Choice {
    const vectorBytes = new Map(manifest.segments.map(({ id }) => [id, vectorMergeBytes(rows, id)]));
    const vectorBytesOf = ({ id }: SegmentInfo): number => vectorBytes.get(id) ?? 0;
    const hasGraph = ({ id }: SegmentInfo): boolean => hasVectorGraph(rows, id);
    const budget = { bytesOf: vectorBytesOf, hasGraph, bytesMax: this.vectorBytesMax };
    const settled = isIdle ? chooseSettled(manifest.segments, this.bytesMax, budget) : [];
    const chosen = settled.length > 0 ? settled : chooseMerge(manifest.segments, this.bytesMax, budget);
    return { chosen, vectorBytesOf };
  }

  private workOn(plan: MergePlan, folder: string, bytes: number): MergeWork {
    const { isThreaded, maxIndexingBytes, pathOf } = this.options;
    return isThreaded && bytes >= Math.min(THREAD_BYTES_MIN, maxIndexingBytes * THREAD_SHARE)
      ? new MergeInThread(pathOf(folder), plan)
      : new MergeHere(createKernel(), plan);
  }
}

function bytesOf(segments: readonly SegmentInfo[]): number {
  return segments.reduce((sum, { postingBytes, docCount }) => sum + postingBytes + docCount * DOC_BYTES, 0);
}

/** A merge that fails beside a batch is none of the batch's business: it begins anew, and is told of when nothing else is done. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // it was given up
  }
}

/** Deletes some of what dropped segments left; false when there was nothing. */
function deleteLeft(store: Store): boolean {
  if (readManifest(rowsOf(store)).obsolete.length === 0) return false;
  return store.transaction((rows) => {
    const isMore = deleteMoreObsolete(rows);
    faultPoint('merge.left');
    return isMore;
  }, 'later');
}

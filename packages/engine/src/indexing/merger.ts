import type { Kernel } from '@fossick/kernel';
import type { Store } from '@fossick/storage';
import { vectorMergeBytes } from '../vectors/merge-memory.js';
import { readManifest, type SegmentInfo } from './index-state.js';
import { chooseMerge, mergeBytesWithin, vectorBytesWithin } from './merge-policy.js';
import { deleteMoreObsolete } from './obsolete-segments.js';
import { rowsOf } from './rows.js';
import { isMergeLeft, RunningMerge, removeMergeLeft } from './running-merge.js';

/** Rows written between two commits of a merge: a waiting update waits for the work on so many, some 50 ms. */
const PIECE_BYTES_MAX = 1 << 20;
/** Their share of the memory for indexing. */
const PIECE_SHARE = 1 / 64;

/** Merges the segments of every index, a piece at a time. */
export class Merger {
  private readonly running = new Map<string, RunningMerge>();
  private readonly bytesMax: number;
  private readonly vectorBytesMax: number;
  private readonly pieceBytes: number;

  constructor(maxIndexingBytes: number) {
    this.bytesMax = mergeBytesWithin(maxIndexingBytes);
    this.vectorBytesMax = vectorBytesWithin(maxIndexingBytes);
    this.pieceBytes = Math.min(PIECE_BYTES_MAX, maxIndexingBytes * PIECE_SHARE);
  }

  /**
   * One piece of a merge of the index in `folder`, begun here if the tiers ask for one, or of the rows that dropped segments left; false
   * when there is nothing to do. After a fault the merge begins anew.
   */
  mergePiece(folder: string, store: Store, kernel: Kernel): boolean {
    const merge = this.running.get(folder) ?? this.begin(store, kernel);
    if (merge === undefined) return deleteLeft(store);
    this.running.set(folder, merge);
    try {
      // A power cut may undo the last piece, which costs the work on it: nobody was promised a merge.
      const isAtEnd = store.transaction((rows) => merge.advance(rows, readManifest(rows)), 'later');
      if (isAtEnd) this.running.delete(folder);
    } catch (error) {
      this.forget(folder);
      throw error;
    }
    return true;
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

  private begin(store: Store, kernel: Kernel): RunningMerge | undefined {
    const rows = rowsOf(store);
    if (isMergeLeft(rows)) store.transaction(removeMergeLeft);
    const manifest = readManifest(rows);
    const vectorBytes = new Map(manifest.segments.map(({ id }) => [id, vectorMergeBytes(rows, id)]));
    const bytesOf = ({ id }: SegmentInfo): number => vectorBytes.get(id) ?? 0;
    const chosen = chooseMerge(manifest.segments, this.bytesMax, { bytesOf, bytesMax: this.vectorBytesMax });
    if (chosen.length === 0) return undefined;
    const chosenBytes = chosen.reduce((sum, segment) => sum + bytesOf(segment), 0);
    return new RunningMerge(manifest, chosen, kernel, this.pieceBytes, chosenBytes);
  }

  /** The same for an index whose file is deleted. */
  forget(folder: string): void {
    this.running.get(folder)?.stop();
    this.running.delete(folder);
  }
}

/** Deletes some of what dropped segments left; false when there was nothing. */
function deleteLeft(store: Store): boolean {
  if (readManifest(rowsOf(store)).obsolete.length === 0) return false;
  return store.transaction((rows) => deleteMoreObsolete(rows), 'later');
}

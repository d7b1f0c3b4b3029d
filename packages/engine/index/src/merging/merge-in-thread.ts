import type { SegmentId } from '@fossick/base';
import type { IndexManifest, MergePlan, SegmentInfo } from '@fossick/format';
import { encodeDocSet, type RowSink, TABLES } from '@fossick/format';
import type { SharedMergeAccount } from '@fossick/kernel/memory';
import { createPipe, PipeReader, WatchedThread } from '@fossick/threads';
import type { MergeWork } from './merge-work.js';

const SCRIPT = new URL('./merge-thread.js', import.meta.url);
/** Bytes of the pipe for rows: the thread blocks while it is full, and a batch empties it some three times a second. */
const PIPE_BYTES = 8 << 20;

/** The thread's start message. */
export interface MergeStart {
  /** The folder of the store. */
  readonly folder: string;
  readonly target: SegmentId;
  readonly manifest: IndexManifest;
  readonly sources: readonly { readonly info: SegmentInfo; readonly deletedDocs: Uint8Array }[];
  readonly pipe: SharedArrayBuffer;
  /** Counts what the merge holds. */
  readonly account?: SharedMergeAccount | undefined;
}
/** Kinds of frames that the thread sends. */
export const MERGED = {
  /** A row of the table of segments. [length of the key, key, value] */
  row: 1,
  /** All rows were sent. [JSON of SegmentInfo] */
  done: 2,
  /** [text] */
  fault: 3,
} as const;

/**
 * A merge whose rows are made by a thread of its own, which reads the store itself. The writer puts the rows a few at a
 * time, between batches. Making them takes seconds in steps that cannot be split, such as a column or a dictionary.
 */
export class MergeInThread implements MergeWork {
  private readonly thread: WatchedThread<never>;
  private readonly rows: PipeReader;
  readonly ended: Promise<void>;
  /** The merged segment, once all its rows are put. */
  private info: SegmentInfo | undefined;

  /** `account`: to be closed when the thread has ended. */
  constructor(folder: string, { sources, target, manifest }: MergePlan, account?: SharedMergeAccount) {
    const pipe = createPipe(PIPE_BYTES);
    const start: MergeStart = {
      folder,
      target,
      manifest,
      sources: sources.map(({ info, deletedDocs }) => ({ info, deletedDocs: encodeDocSet(deletedDocs) })),
      pipe,
      account,
    };
    // the closed pipe reports the thread's end
    this.thread = new WatchedThread({ script: SCRIPT, start, pipes: [pipe], holdsProcess: false });
    this.ended = this.thread.ended;
    this.rows = new PipeReader(pipe, false);
  }

  /** True also when the thread has ended: `put` then throws. */
  get isReady(): boolean {
    return this.info !== undefined || this.rows.isReady;
  }

  put(rows: RowSink, bytes: number): SegmentInfo | undefined {
    this.putMade(rows, bytes);
    return this.info;
  }

  putMade(rows: RowSink, bytes: number): void {
    for (let left = bytes; left > 0 && this.info === undefined && this.rows.isReady; ) {
      const { kind, body } = this.rows.frame();
      if (kind === MERGED.done) {
        this.info = JSON.parse(body.toString()) as SegmentInfo;
        return;
      }
      if (kind === MERGED.fault) throw new Error(`a merge in its own thread failed: ${body.toString()}`);
      const keyEnd = 1 + body[0]!;
      rows.put(TABLES.segments, body.subarray(1, keyEnd), body.subarray(keyEnd));
      left -= body.length;
    }
  }

  /**
   * The thread ends by itself, at its next row. Termination would end the whole process where it finds the thread in a
   * call of LMDB: an error of such a call can be thrown no more.
   */
  stop(): void {
    this.rows.abandon();
    this.thread.holdProcess(true);
  }
}

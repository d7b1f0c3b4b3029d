import type { ObjectStore } from '@fossick/objects';
import type { CommitLog } from '@fossick/replication';
import type { ClusterNode } from '../node/cluster-node.js';
import { trimLog } from './trim-log.js';
import { lastSet, writeCheckpointSet } from './write-set.js';

/** Between two looks whether a checkpoint is due, in milliseconds; a random part is added. */
const LOOK_MS = 60_000;
/** A checkpoint is due after this many bytes of the log, or the bytes of the last one if those are more… */
const BYTES_MIN = 64 << 20;
/** …or this many entries, each of which is read at the next start of a node. */
const ENTRIES = 20_000;
/** `FOSSICK_TEST_CLUSTER_CHECKPOINT_ENTRIES` makes checkpoints of tests more frequent, and keeps the log for seconds. */
const TEST_ENTRIES = process.env['FOSSICK_TEST_CLUSTER_CHECKPOINT_ENTRIES'];
const TEST_LOOK_MS = 500;
/**
 * The log is kept for ten minutes at least: a node whose append is on its way, and one that is a little late, must not
 * find their position trimmed.
 */
const KEEP_MS_MIN = 600_000;
const TEST_KEEP_MS = 3_000;

export interface CheckpointingOptions {
  readonly node: ClusterNode;
  readonly log: Pick<CommitLog, 'trim'>;
  readonly objects: ObjectStore;
  readonly logName: string;
  readonly keepHours: number;
  /** Whether others could do it: a leader leaves it to its followers. */
  readonly hasFollowers: () => boolean;
  readonly onFault: (error: unknown) => void;
}

/** Writes checkpoints of a node when they are due, and trims the log before them. */
export class Checkpointing {
  private readonly options: CheckpointingOptions;
  private timer: NodeJS.Timeout | undefined;
  private isEnded = false;
  private running: Promise<void> = Promise.resolve();
  private bytesBefore = 0;
  private lastPosition = 0;

  constructor(options: CheckpointingOptions) {
    this.options = options;
  }

  start(): void {
    const lookMs = TEST_ENTRIES === undefined ? LOOK_MS : TEST_LOOK_MS;
    this.timer = setTimeout(
      () => {
        this.running = this.look().catch(this.options.onFault);
        void this.running.then(() => {
          if (!this.isEnded) this.start();
        });
      },
      lookMs * (1 + Math.random()),
    );
    this.timer.unref();
  }

  /** Resolves when nothing is being written. */
  async end(): Promise<void> {
    this.isEnded = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async look(): Promise<void> {
    const { node, log, objects, logName, keepHours, hasFollowers } = this.options;
    const last = await lastSet(objects, logName);
    const lastPosition = last?.state.position ?? 0;
    // another node may have written one
    if (lastPosition !== this.lastPosition) this.bytesBefore = node.loggedBytes;
    this.lastPosition = lastPosition;
    const sizeOfLast = last?.stores.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
    const bytes = node.loggedBytes - this.bytesBefore;
    const entries = node.position - lastPosition;
    const isDue = bytes >= Math.max(BYTES_MIN, sizeOfLast) || entries >= Number(TEST_ENTRIES ?? ENTRIES);
    const isOfOthers = node.role.kind === 'leader' && hasFollowers();
    if (isDue && entries > 0 && !isOfOthers && !this.isEnded)
      await node.readStores((stores, state) =>
        writeCheckpointSet({ objects, logName, stores, state, nowMs: Date.now() }),
      );
    const keepMs = TEST_ENTRIES === undefined ? Math.max(keepHours * 3_600_000, KEEP_MS_MIN) : TEST_KEEP_MS;
    if (!isOfOthers && !this.isEnded) await trimLog({ log, objects, logName, keepSinceMs: Date.now() - keepMs });
  }
}

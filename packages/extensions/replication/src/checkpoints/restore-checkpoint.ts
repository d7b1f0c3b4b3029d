import { createHash } from 'node:crypto';
import type { ObjectStore } from '@fossick/objects';
import type { Store } from '@fossick/storage';
import { applyChanges } from '@fossick/storage/changes';
import { DamagedCheckpointError } from '../log-errors.js';
import type { Checkpoint, CheckpointPart } from './checkpoint.js';
import { PieceReader } from './row-pieces.js';

/** Parts that are read at a time. */
const PARALLEL = 4;

export interface RestoreCheckpointOptions {
  readonly objects: ObjectStore;
  readonly checkpoint: Checkpoint;
  /** A store without tables, which nothing else uses. It is to be thrown away when this rejects. */
  readonly into: Store;
  /** Parts read at a time; 4 when absent. */
  readonly parallel?: number;
  /** Called with bytes that were read. An exception ends the restore. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Writes all rows of a checkpoint into a new store; durable when it resolves. Rejects with DamagedCheckpointError, which
 * names the part, when one is missing or was changed; the store has some of the rows then. Memory: a piece of 1 MiB
 * for each part that is read. O(bytes)
 */
export async function restoreCheckpoint(options: RestoreCheckpointOptions): Promise<void> {
  const { checkpoint, into, parallel = PARALLEL } = options;
  if (into.snapshot(({ tableNames }) => tableNames).length > 0) throw new RangeError('the store has tables already');
  into.transaction((txn) => {
    for (const table of checkpoint.tables) txn.clear(table);
  }, 'later');
  const waiting = checkpoint.parts.values();
  const failures: unknown[] = [];
  const reader = async (): Promise<void> => {
    for (const part of waiting) {
      try {
        await restorePart(options, part, () => failures.length > 0);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  // all have ended when this ends: the caller closes the store then
  await Promise.all(Array.from({ length: parallel }, reader));
  if (failures.length > 0) throw failures[0];
  await into.flush();
}

async function restorePart(
  { objects, into, onBytes }: RestoreCheckpointOptions,
  { key, bytes, rows, sha256 }: CheckpointPart,
  isOver: () => boolean,
): Promise<void> {
  const body = await objects.get(key);
  if (body === null) throw new DamagedCheckpointError(key, 'is missing');
  const sum = createHash('sha256');
  const pieces = new PieceReader(bytes);
  let rowCount = 0;
  for await (const chunk of body) {
    if (isOver()) return;
    sum.update(chunk);
    try {
      for (const puts of pieces.push(chunk)) {
        into.transaction((txn) => applyChanges(txn, puts), 'later');
        rowCount += puts.length;
      }
    } catch (error) {
      // before the sum is known: changed bytes need not be pieces
      if (error instanceof RangeError) throw new DamagedCheckpointError(key, error.message, { cause: error });
      throw error;
    }
    onBytes?.(chunk.length);
  }
  if (sum.digest('hex') !== sha256) throw new DamagedCheckpointError(key, 'has another sum');
  if (!pieces.isAtEnd || rowCount !== rows) throw new DamagedCheckpointError(key, `has ${rowCount} rows, not ${rows}`);
}

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ObjectStore } from '@fossick/objects';
import type { Snapshot } from '@fossick/storage';
import {
  type Checkpoint,
  type CheckpointName,
  type CheckpointPart,
  checkNames,
  encodeManifest,
  manifestKey,
  partKey,
  readCheckpoint,
} from './checkpoint.js';
import { type Piece, piecesOf } from './row-pieces.js';

/** Bytes of a part: it ends with the piece that reaches them. */
const PART_BYTES = 64 << 20;

export interface WriteCheckpointOptions {
  readonly objects: ObjectStore;
  readonly name: CheckpointName;
  /** An id that no other writer of a checkpoint has: parts have it in their keys. */
  readonly writer: string;
  /** The rows. A snapshot of a copy of the store (`Store.copyTo`) does not make the store itself grow meanwhile. */
  readonly snapshot: Snapshot;
  /** 64 MiB when absent. */
  readonly partBytes?: number;
  /** Called with the bytes that were written, after each piece. An exception ends the writing. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Writes all rows of a snapshot as a checkpoint. When another node has finished one of this name meanwhile, that counts,
 * and is returned. Rejects with what the store or `onBytes` threw, and removes its parts then. Memory: a piece of 1 MiB, and
 * what the object store holds of a stream. O(bytes)
 */
export async function writeCheckpoint(options: WriteCheckpointOptions): Promise<Checkpoint> {
  const { objects, name, writer, snapshot } = options;
  checkNames(name, writer);
  const parts: CheckpointPart[] = [];
  try {
    await writeParts(options, parts);
  } catch (error) {
    await removeParts(objects, name, writer, parts.length + 1);
    throw error;
  }
  const checkpoint: Checkpoint = { ...name, tables: snapshot.tableNames, parts };
  const there = await createManifest(objects, checkpoint);
  if (there !== null && there.parts[0]?.key !== parts[0]?.key) await removeParts(objects, name, writer, parts.length);
  return there ?? checkpoint;
}

async function writeParts({ objects, name, writer, ...rest }: WriteCheckpointOptions, parts: CheckpointPart[]) {
  const { snapshot, partBytes = PART_BYTES, onBytes } = rest;
  const pieces = piecesOf(snapshot);
  try {
    for (let next = pieces.next(); next.done !== true; ) {
      const sum = createHash('sha256');
      let bytes = 0;
      let rows = 0;
      const body = async function* (): AsyncGenerator<Uint8Array> {
        while (next.done !== true && bytes < partBytes) {
          const piece: Piece = next.value;
          sum.update(piece.bytes);
          bytes += piece.bytes.length;
          rows += piece.rows;
          yield piece.bytes;
          onBytes?.(piece.bytes.length);
          // others of this thread are not stopped for a whole part
          await setImmediate();
          next = pieces.next();
        }
      };
      const key = partKey(name, writer, parts.length);
      await objects.put(key, body());
      parts.push({ key, bytes, rows, sha256: sum.digest('hex') });
    }
  } finally {
    // closes the cursor
    pieces.return(undefined);
  }
}

/** The checkpoint that there is now if it may be another one, null if it is this one. */
async function createManifest(objects: ObjectStore, checkpoint: Checkpoint): Promise<Checkpoint | null> {
  try {
    const outcome = await objects.put(manifestKey(checkpoint), encodeManifest(checkpoint), { ifAbsent: true });
    if (outcome === 'put') return null;
  } catch (error) {
    // it may have been created all the same: parts are not removed unless another one is there
    const there = await readCheckpoint(objects, checkpoint).catch(() => null);
    if (there === null) throw error;
    return there;
  }
  return await readCheckpoint(objects, checkpoint);
}

async function removeParts(objects: ObjectStore, name: CheckpointName, writer: string, count: number): Promise<void> {
  try {
    for (let number = 0; number < count; number++) await objects.delete(partKey(name, writer, number));
  } catch {
    // the store does not answer: they remain until the checkpoint is deleted
  }
}

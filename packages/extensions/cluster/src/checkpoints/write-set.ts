import { randomUUID } from 'node:crypto';
import type { ObjectStore } from '@fossick/objects';
import { type SavedLogState, writeCheckpoint } from '@fossick/replication';
import type { NodeStores } from '../node/node-stores.js';
import { type CheckpointSet, listSets, readSet, type StoreCheckpoint, writeSet } from './checkpoint-set.js';

export interface WriteSetOptions {
  readonly objects: ObjectStore;
  readonly logName: string;
  readonly stores: NodeStores;
  /** Of the last entry that all stores have: nothing is being applied or committed now. */
  readonly state: SavedLogState;
  readonly nowMs: number;
}

/**
 * Writes checkpoints of all stores, and then the set of them. Entries may be applied meanwhile: a store that is ahead of
 * the state skips what it has. A store that has not changed since the last set keeps the checkpoint of that one.
 * O(bytes of what has changed)
 */
export async function writeCheckpointSet({ nowMs, ...options }: WriteSetOptions): Promise<CheckpointSet> {
  const { objects, logName, stores, state } = options;
  const last = await lastSet(objects, logName);
  const written = await writeStores({ objects, logName, stores, position: state.position, before: last?.stores ?? [] });
  const set = { state, stores: written, writtenMs: nowMs };
  await writeSet(objects, logName, set);
  return set;
}

export interface WriteStoresOptions extends Pick<WriteSetOptions, 'objects' | 'logName' | 'stores'> {
  /** In the names of the checkpoints. */
  readonly position: number;
  /** Checkpoints of earlier sets. */
  readonly before: readonly StoreCheckpoint[];
}

/** Writes checkpoints of the stores that have changed since those of `before`. */
export async function writeStores(options: WriteStoresOptions): Promise<StoreCheckpoint[]> {
  const { objects, logName, stores, position, before } = options;
  const knownOf = new Map(before.map((one) => [one.store, one]));
  const written: StoreCheckpoint[] = [];
  // those that are created later are made again from the log
  for (const store of stores.names()) {
    const place = stores.placeOf(store);
    const known = knownOf.get(store);
    if (known !== undefined && known.place.position === place.position && known.place.count === place.count) {
      written.push(known);
      continue;
    }
    const name = { log: logName, position, store };
    const checkpoint = await stores.read(store, (snapshot) =>
      writeCheckpoint({ objects, name, writer: randomUUID(), snapshot }),
    );
    // undefined: the index was deleted
    if (checkpoint === undefined) continue;
    const bytes = checkpoint.parts.reduce((sum, part) => sum + part.bytes, 0);
    written.push({ store, position, place, bytes });
  }
  return written;
}

/** The last set of a log; null when there is none. */
export async function lastSet(objects: ObjectStore, logName: string): Promise<CheckpointSet | null> {
  const position = (await listSets(objects, logName)).at(-1);
  return position === undefined ? null : await readSet(objects, logName, position);
}

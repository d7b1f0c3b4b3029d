import type { ObjectStore } from '@fossick/objects';
import { encodeSummed, readSummed, type SavedLogState } from '@fossick/replication';
import type { Place } from '../records/place.js';

const POSITION_DIGITS = 20;
const FORMAT = 1;
/** 10,000 entries with a few operations each, and some hundred thousand stores. */
const SET_BYTES_MAX = 64 << 20;

/** The checkpoint of one store in a set. */
export interface StoreCheckpoint {
  readonly store: string;
  /** The position in the name of its checkpoint, which may be that of an earlier set. */
  readonly position: number;
  readonly place: Place;
  readonly bytes: number;
}

/**
 * Checkpoints of all stores from which a node can follow the log: each store has at least everything up to the position
 * of the state, and knows its place. An object `checkpoint-sets/LOG/POSITION`, written when all of them are there.
 */
export interface CheckpointSet {
  readonly state: SavedLogState;
  readonly stores: readonly StoreCheckpoint[];
  /** By the clock of its writer, in milliseconds since 1970; only for how long it is kept. */
  readonly writtenMs: number;
}

export function setKey(log: string, position: number): string {
  return `${setPrefix(log)}${String(position).padStart(POSITION_DIGITS, '0')}`;
}

export async function writeSet(objects: ObjectStore, log: string, set: CheckpointSet): Promise<void> {
  const { hash, ...state } = set.state;
  const content = { ...set, format: FORMAT, state: { ...state, hash: Buffer.from(hash).toString('base64') } };
  await objects.put(setKey(log, state.position), encodeSummed(content), { ifAbsent: true });
}

/** Positions of the sets of a log, ascending. */
export async function listSets(objects: ObjectStore, log: string): Promise<number[]> {
  const positions: number[] = [];
  for await (const { key } of objects.list(setPrefix(log))) positions.push(Number(key.slice(setPrefix(log).length)));
  return positions;
}

/** The set of a position; null when it is gone. Throws DamagedCheckpointError. */
export async function readSet(objects: ObjectStore, log: string, position: number): Promise<CheckpointSet | null> {
  const set = await readSummed<StoredSet>(objects, setKey(log, position), FORMAT, SET_BYTES_MAX);
  return set && { ...set, state: { ...set.state, hash: Buffer.from(set.state.hash, 'base64') } };
}

/** A set in its object. */
type StoredSet = Omit<CheckpointSet, 'state'> & {
  readonly state: Omit<SavedLogState, 'hash'> & { readonly hash: string };
};

function setPrefix(log: string): string {
  return `checkpoint-sets/${log}/`;
}

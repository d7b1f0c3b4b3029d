import type { ObjectStore } from '@fossick/objects';
import { type CommitLog, deleteCheckpoint, listCheckpoints } from '@fossick/replication';
import { PayloadObjects } from '../objects/payload-objects.js';
import { dataPrefix, positionInKey } from '../records/large-bodies.js';
import { type CheckpointSet, listSets, readSet, setKey } from './checkpoint-set.js';

export interface TrimOptions {
  readonly log: Pick<CommitLog, 'trim'>;
  readonly objects: ObjectStore;
  readonly logName: string;
  /** Everything after this time can be reached: the last set before it stays, and all later ones. */
  readonly keepSinceMs: number;
}

/**
 * Removes sets that are not needed any more, their checkpoints, the entries before the oldest set that stays, and the
 * objects of those entries. Interrupted anywhere, the next call goes on. Returns the floor; 1 when nothing is removed.
 */
export async function trimLog({ log, objects, logName, keepSinceMs }: TrimOptions): Promise<number> {
  const sets: CheckpointSet[] = [];
  for (const position of await listSets(objects, logName)) {
    const set = await readSet(objects, logName, position);
    if (set !== null) sets.push(set);
  }
  const oldest = sets.findLast(({ writtenMs }) => writtenMs <= keepSinceMs);
  if (oldest === undefined) return 1;
  const floor = oldest.state.position + 1;
  const kept = sets.filter(({ state }) => state.position >= oldest.state.position);
  for (const { state } of sets)
    if (state.position < oldest.state.position) await objects.delete(setKey(logName, state.position));
  await log.trim(floor);
  const needed = new Set(kept.flatMap(({ stores }) => stores.map(({ store, position }) => `${position}/${store}`)));
  const names: { readonly log: string; readonly position: number; readonly store: string }[] = [];
  for await (const name of listCheckpoints(objects, logName)) names.push(name);
  for (const name of names) {
    // one of a set that is being written is newer than every set
    const isOld = name.position < kept.at(-1)!.state.position;
    if (isOld && !needed.has(`${name.position}/${name.store}`)) await deleteCheckpoint(objects, name);
  }
  // the body of an entry was put before the entry, which is at a later position
  const bodies: string[] = [];
  for await (const { key } of objects.list(dataPrefix(logName)))
    if (positionInKey(logName, key) < floor - BODY_SPAN) bodies.push(key);
  for (const key of bodies) await objects.delete(key);
  await new PayloadObjects(objects).sweep(logName, floor);
  return floor;
}

/** Entries between the position in the key of a body and its entry: more than come during one upload. */
const BODY_SPAN = 100_000;

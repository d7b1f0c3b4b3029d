import { type Json, own, setOwn } from '@fossick/base';
import type { Swap } from '../task/content.js';
import type { Batch } from '../task/task.js';

/** New names of indexes by their former ones. */
export type NewNames = ReadonlyMap<string, string>;

/** Swaps of an older task that name the indexes in this way now. */
export function withNames(swaps: readonly Swap[], names: NewNames): Swap[] {
  const now = (uid: string): string => names.get(uid) ?? uid;
  return swaps.map(({ indexes: [left, right], rename }) => ({ indexes: [now(left), now(right)], rename }));
}

/** The renamed tasks of each batch, and which batches have swaps that were renamed. */
export class BatchRenames {
  private readonly moves = new Map<number, (readonly [from: string, to: string])[]>();

  get uids(): Iterable<number> {
    return this.moves.keys();
  }

  /** `move`: the former and the new index name of a task; absent for a swap. */
  note(batchUid: number | null, move?: readonly [from: string, to: string]): void {
    if (batchUid === null) return;
    const moves = this.moves.get(batchUid) ?? [];
    this.moves.set(batchUid, moves);
    if (move !== undefined) moves.push(move);
  }

  /** The batch with the new names: the count of its tasks by index, and its swaps. */
  renamed(batch: Batch, names: NewNames): Batch {
    const indexUids: Record<string, number> = {};
    const add = (uid: string, count: number): void => setOwn(indexUids, uid, (own(indexUids, uid) ?? 0) + count);
    const left = { ...batch.stats.indexUids };
    for (const [from, to] of this.moves.get(batch.uid) ?? []) {
      // the batches of earlier releases kept the names that their tasks had
      if ((own(left, from) ?? 0) === 0) continue;
      setOwn(left, from, own(left, from)! - 1);
      add(to, 1);
    }
    for (const [uid, count] of Object.entries(left)) if (count > 0) add(uid, count);
    const stats = { ...batch.stats, indexUids };
    const { swaps } = batch.details;
    if (swaps === undefined) return { ...batch, stats };
    const { detailsText: _, ...rest } = batch;
    return { ...rest, stats, details: { ...batch.details, swaps: renamedTexts(swaps, names) } };
  }
}

/** The swaps in the details of a batch, in which only names are texts. */
function renamedTexts(value: Json, names: NewNames): Json {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one: Json) => renamedTexts(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renamedTexts(one, names)]));
}

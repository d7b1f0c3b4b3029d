import type { Store } from "@fossick/storage";
import { prefixEnd, readText, readU32 } from "@fossick/storage";
import type { TaskStatus, TaskType } from "../task/content.js";
import type { Micros } from "../task/task.js";
import { ALL_TASKS, type ColumnName, columnKey, INDEX_PREFIX, ROWS_PER_CHUNK, setKey, tableNames } from "./layout.js";
import { UidSet } from "./uid-set.js";

/** Values of one list are OR-ed, filters are AND-ed; an absent one does not restrict. Dates compare strictly. */
export interface TaskFilters {
  readonly uids?: readonly number[];
  readonly batchUids?: readonly number[];
  readonly canceledBy?: readonly number[];
  readonly types?: readonly TaskType[];
  readonly statuses?: readonly TaskStatus[];
  readonly indexUids?: readonly string[];
  readonly afterEnqueuedAt?: Micros;
  readonly beforeEnqueuedAt?: Micros;
  readonly afterStartedAt?: Micros;
  readonly beforeStartedAt?: Micros;
  readonly afterFinishedAt?: Micros;
  readonly beforeFinishedAt?: Micros;
  /** For a key restricted to some indexes: only tasks of these are seen, and no global ones. */
  readonly isIndexVisible?: (indexUid: string) => boolean;
}

/** Reads the filter structures of a store; every call sees the last commit. */
export class TaskFinder {
  constructor(private readonly store: Store) {}

  /** Uids of matching tasks. O(uids / 8) bytes per set, plus 8 bytes a row and date for date filters. */
  find(filters: TaskFilters): UidSet {
    let found = this.set(ALL_TASKS);
    const keep = (sets: readonly UidSet[]): void => {
      found = found.intersect(sets.reduce((left, right) => left.union(right), new UidSet()));
    };
    if (filters.uids !== undefined) keep([UidSet.of(filters.uids)]);
    if (filters.statuses !== undefined) keep(filters.statuses.map((status) => this.set(`status:${status}`)));
    if (filters.types !== undefined) keep(filters.types.map((type) => this.set(`type:${type}`)));
    if (filters.indexUids !== undefined) keep(filters.indexUids.map((uid) => this.set(`${INDEX_PREFIX}${uid}`)));
    if (filters.isIndexVisible !== undefined) {
      keep(
        this.indexUids()
          .filter(filters.isIndexVisible)
          .map((uid) => this.set(`${INDEX_PREFIX}${uid}`)),
      );
    }
    const { batchUids, canceledBy } = filters;
    if (batchUids !== undefined) found = this.where(found, "batchUid", isOneOf(batchUids));
    if (canceledBy !== undefined) found = this.where(found, "canceledBy", isOneOf(canceledBy));
    found = this.between(found, "enqueuedAt", filters.afterEnqueuedAt, filters.beforeEnqueuedAt);
    found = this.between(found, "startedAt", filters.afterStartedAt, filters.beforeStartedAt);
    return this.between(found, "finishedAt", filters.afterFinishedAt, filters.beforeFinishedAt);
  }

  /** A stored set by its name. */
  set(name: string): UidSet {
    const set = new UidSet();
    const prefix = setKey(name, 0).subarray(0, -4);
    const end = prefixEnd(prefix);
    for (const { key, value } of this.store.table(tableNames.sets).range({ start: prefix, ...(end && { end }) })) {
      set.chunks.set(readU32(key, key.length - 4), value);
    }
    return set;
  }

  /** Distinct batches of these tasks. */
  batchUidsOf(tasks: UidSet): UidSet {
    const batches = new UidSet();
    this.where(tasks, "batchUid", (uid) => {
      if (!Number.isNaN(uid)) batches.add(uid);
      return true;
    });
    return batches;
  }

  private indexUids(): string[] {
    const table = this.store.table(tableNames.sets);
    const names: string[] = [];
    const prefix = new TextEncoder().encode(INDEX_PREFIX);
    const end = prefixEnd(prefix)!;
    for (const { key } of table.range({ start: prefix, end })) {
      const name = readText(key).value.slice(INDEX_PREFIX.length);
      if (names.at(-1) !== name) names.push(name);
    }
    return names;
  }

  private between(found: UidSet, column: ColumnName, after: Micros | undefined, before: Micros | undefined): UidSet {
    if (after === undefined && before === undefined) return found;
    const low = after ?? Number.NEGATIVE_INFINITY;
    const high = before ?? Number.POSITIVE_INFINITY;
    return this.where(found, column, (at) => at > low && at < high);
  }

  private where(found: UidSet, column: ColumnName, isWanted: (value: number) => boolean): UidSet {
    const kept = new UidSet();
    const table = this.store.table(tableNames.columns);
    let chunk = -1;
    let rows: DataView | undefined;
    for (const uid of found.uids()) {
      const wanted = Math.floor(uid / ROWS_PER_CHUNK);
      if (wanted !== chunk) {
        chunk = wanted;
        const bytes = table.get(columnKey(column, chunk));
        rows = bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      }
      if (isWanted(rows?.getFloat64((uid % ROWS_PER_CHUNK) * 8) ?? Number.NaN)) kept.add(uid);
    }
    return kept;
  }
}

function isOneOf(values: readonly number[]): (value: number) => boolean {
  const wanted = new Set(values);
  return (value) => wanted.has(value);
}

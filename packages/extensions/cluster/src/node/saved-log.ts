import { bootId } from '@fossick/base';
import { NODE_TABLE as STATE } from '@fossick/instance';
import type { AcceptedEntry, SavedLogState } from '@fossick/replication';
import { composeKey, openLmdbStore, readU64, type Store, storeUse, text, u32, u64, u64Key } from '@fossick/storage';

const OPERATIONS = 'log-operations';
/** The state after the last entry, and after the last one before a flush of all stores. */
const [LAST, FLUSHED] = [composeKey(text('last')), composeKey(text('flushed'))] as const;
/** The row with the id of the cluster. */
const CLUSTER = composeKey(text('cluster'));
/** A row without a value, written when the store is made. */
const MADE = composeKey(text('made'));
/** Operations are kept for twice the entries within which a log recognises them: an older state may be the saved one. */
const OPERATION_ENTRIES_KEPT = 20_000;

/** A state in its row: the operations have rows of their own. */
interface StateRow {
  readonly position: number;
  readonly hash: string;
  readonly epoch: number;
  readonly leader: SavedLogState['leader'];
  readonly format: number;
  /** Of the machine's start in which it was written. */
  readonly boot: string;
}

interface Operation {
  readonly position: number;
  readonly index: number;
  readonly opId: string;
}

/**
 * Where a node is in its log, in a store of its own. A state is written only when every store has everything up to it,
 * so that entries after it are read and applied again; that is harmless, because each store knows its place.
 *
 * While the machine runs, a commit survives the death of the process. After a power cut each store may have lost its
 * last commits, so the node then continues from the last state that was written after a flush of all stores.
 */
export class SavedLog {
  private readonly store: Store;
  private waiting: Operation[] = [];

  constructor(folder: string) {
    const isNew = storeUse(folder) !== 'used';
    this.store = openLmdbStore({ folder });
    // an empty store is one that was lost
    if (isNew) this.store.transaction((txn) => txn.put(STATE, MADE, Buffer.alloc(0)));
  }

  /** The state to continue from; undefined for a node that has none. */
  read(): SavedLogState | undefined {
    const last = this.row(LAST);
    const row = last?.boot === bootId() ? last : this.row(FLUSHED);
    if (row === undefined) return undefined;
    const operations: (readonly [string, number])[] = [];
    const end = u64Key(BigInt(row.position + 1));
    for (const { key, value } of this.store.table(OPERATIONS).range({ end }))
      operations.push([Buffer.from(value).toString('utf8'), Number(readU64(key))]);
    return { ...row, hash: Buffer.from(row.hash, 'base64'), operations };
  }

  /** The cluster that the folder belongs to; undefined for a new one. */
  get clusterId(): string | undefined {
    const bytes = this.store.table(STATE).get(CLUSTER);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
  }

  /** From now on the folder belongs to this cluster. */
  claim(clusterId: string): void {
    if (this.clusterId === clusterId) return;
    this.store.transaction((txn) => txn.put(STATE, CLUSTER, Buffer.from(clusterId)));
  }

  /** Notes the operations of an entry, for the next `write`. */
  note({ position, records }: AcceptedEntry): void {
    for (const [index, { record, effect }] of records.entries()) {
      if (record.kind !== 'data' || effect.kind !== 'applied') continue;
      this.waiting.push({ position, index, opId: record.opId });
    }
  }

  /** Writes the state after the last noted entry. One transaction, which waits for no disk. */
  write(state: Omit<SavedLogState, 'operations'>): void {
    this.store.transaction((txn) => {
      for (const { position, index, opId } of this.waiting)
        txn.put(OPERATIONS, composeKey(u64(BigInt(position)), u32(index)), Buffer.from(opId));
      const oldest = state.position - OPERATION_ENTRIES_KEPT;
      if (oldest > 0) txn.deleteRange(OPERATIONS, u64Key(0n), u64Key(BigInt(oldest)));
      txn.put(STATE, LAST, rowOf(state));
    }, 'later');
    this.waiting = [];
  }

  /** The last written state, for `noteFlush`. */
  last(): Uint8Array | undefined {
    return this.store.table(STATE).get(LAST);
  }

  /** All stores have been flushed since this state was written. */
  noteFlush(state: Uint8Array | undefined): void {
    if (state !== undefined) this.store.transaction((txn) => txn.put(STATE, FLUSHED, state));
  }

  /** Replaces everything by the state of a checkpoint. */
  replace(saved: SavedLogState): void {
    this.store.transaction((txn) => {
      txn.clear(OPERATIONS);
      for (const [index, [opId, position]] of saved.operations.entries())
        txn.put(OPERATIONS, composeKey(u64(BigInt(position)), u32(index)), Buffer.from(opId));
      for (const key of [LAST, FLUSHED]) txn.put(STATE, key, rowOf(saved));
    });
    this.waiting = [];
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private row(key: Uint8Array): StateRow | undefined {
    const bytes = this.store.table(STATE).get(key);
    return bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString('utf8')) as StateRow);
  }
}

function rowOf({ hash, ...state }: Omit<SavedLogState, 'operations'>): Uint8Array {
  const row: StateRow = { ...state, hash: Buffer.from(hash).toString('base64'), boot: bootId() };
  return Buffer.from(JSON.stringify(row));
}

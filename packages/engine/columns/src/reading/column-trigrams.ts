import { TrigramTable } from '@fossick/format';
import { type EvictingMemory, type HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';
import { copyOfSpan, type StoredBytes } from '../bytes/column-spans.js';

/** Groups of a column, ascending. */
export type GroupList = readonly number[] | Uint32Array;

/** What is held of a stored table. */
class HeldTrigrams implements HeldMemory {
  readonly kind = 'columns';
  readonly table: TrigramTable;

  constructor(stored: StoredBytes) {
    this.table = new TrigramTable((from, to) => copyOfSpan(stored, from, to));
  }

  get byteCount(): number {
    return this.table.byteCount;
  }

  free(): void {}
}

/** The stored trigram table of a column's string values, which has their ends marked. */
export class ColumnTrigrams {
  private readonly held: HeldOnDemand<HeldTrigrams>;

  constructor(memory: EvictingMemory, stored: StoredBytes) {
    this.held = new HeldOnDemand(memory, () => new HeldTrigrams(stored));
  }

  /** The table, its head read unless it is there. */
  load(): TrigramTable {
    return this.held.load().table;
  }

  /** Frees its memory. Only between views. */
  close(): void {
    this.held.drop();
  }
}

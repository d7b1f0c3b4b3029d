import { decodeEntry, FIRST_FORMAT, firstHash, hashOfEntry, LAST_FORMAT } from '../entries/entry-codec.js';
import type { Entry, LogRecord, NodeInfo } from '../entries/records.js';
import { DamagedLogError, NewerFormatError } from '../log-errors.js';
import type { StoredEntry } from '../port.js';

/** Entries within which a repeated operation is recognised: an hour and more of the busiest log. */
const OPERATION_ENTRIES = 10_000;

/**
 * What a record does, the same on every node: `applied`; `duplicate` of an operation that took effect at `firstPosition`;
 * `fenced`, because its epoch is not the current one. The last two have no effect.
 */
export type RecordEffect =
  | { readonly kind: 'applied' }
  | { readonly kind: 'duplicate'; readonly firstPosition: number }
  | { readonly kind: 'fenced' };

export interface AcceptedRecord {
  readonly record: LogRecord;
  readonly effect: RecordEffect;
}

export interface AcceptedEntry {
  readonly position: number;
  readonly id: string;
  readonly records: readonly AcceptedRecord[];
}

/** All of a log's state, for a checkpoint or a restart. */
export interface SavedLogState {
  /** Of the last entry; 0 for none. */
  readonly position: number;
  readonly hash: Uint8Array;
  readonly epoch: number;
  readonly leader: NodeInfo | null;
  /** Of the next entry. */
  readonly format: number;
  /** Operations that took effect in the last entries, with their positions, ascending. */
  readonly operations: readonly (readonly [opId: string, position: number])[];
}

export interface LogStateOptions {
  readonly logName: string;
  readonly saved?: SavedLogState | undefined;
  /** The last format that this node reads and writes; that of the release when absent. */
  readonly lastFormat?: number | undefined;
  /** Entries within which a repeated operation is recognised. The same for all nodes of a log. */
  readonly operationEntries?: number;
}

/** What the entries of a log up to a position come to, besides the data in them. A fold: no clock, no input or output. */
export class LogState {
  private readonly operationEntries: number;
  private readonly lastFormat: number;
  /** In the order of their positions. */
  private readonly operations: Map<string, number>;
  private last: Omit<SavedLogState, 'operations'>;

  constructor(options: LogStateOptions) {
    const { logName, saved, operationEntries = OPERATION_ENTRIES, lastFormat = LAST_FORMAT } = options;
    this.operationEntries = operationEntries;
    this.lastFormat = lastFormat;
    this.operations = new Map(saved?.operations);
    this.last = saved ?? { position: 0, hash: firstHash(logName), epoch: 0, leader: null, format: FIRST_FORMAT };
  }

  /** Of the last entry; 0 for none. */
  get position(): number {
    return this.last.position;
  }

  /** What the next entry must refer to. */
  get hash(): Uint8Array {
    return this.last.hash;
  }

  /** 0 before the first leader. */
  get epoch(): number {
    return this.last.epoch;
  }

  get leader(): NodeInfo | null {
    return this.last.leader;
  }

  /** Of the next entry. */
  get format(): number {
    return this.last.format;
  }

  /** O(operations) */
  save(): SavedLogState {
    return { ...this.last, operations: [...this.operations] };
  }

  /**
   * Goes on by one entry. Throws DamagedLogError, and stays as it was, when it is not the next one; NewerFormatError when
   * this node cannot read it or those after it. O(bytes), amortised
   */
  accept(stored: StoredEntry): AcceptedEntry {
    const { position, bytes } = stored;
    const entry = this.checked(stored);
    const { epoch, leader, format } = this.last;
    const last = { position, hash: hashOfEntry(bytes), epoch, leader, format };
    const records = entry.records.map((record): AcceptedRecord => ({ record, effect: this.effectOf(record, last) }));
    this.last = last;
    for (const [opId, first] of this.operations) {
      if (first > position - this.operationEntries) break;
      this.operations.delete(opId);
    }
    return { position, id: entry.id, records };
  }

  private checked({ position, bytes, key }: StoredEntry): Entry {
    let entry: Entry;
    try {
      entry = decodeEntry(bytes, this.lastFormat);
    } catch (error) {
      const isNewer = error instanceof NewerFormatError;
      // what was never written here has no position, or that of another entry
      if (!(error instanceof RangeError) || (isNewer && error.position === position)) throw error;
      const what = key === undefined ? 'it' : `the object ${key}`;
      const reason = isNewer ? '' : `: ${error.message}`;
      throw new DamagedLogError(position, `${what} is not an entry of a log${reason}`, { cause: error });
    }
    if (position !== this.position + 1 || entry.position !== position) {
      throw new DamagedLogError(position, `it says ${entry.position}, after ${this.position}`);
    }
    if (entry.format !== this.format) {
      throw new DamagedLogError(position, `it has format ${entry.format}, and the log has ${this.format}`);
    }
    if (Buffer.compare(entry.previous, this.hash) !== 0) {
      throw new DamagedLogError(position, 'it follows another entry than the one before it');
    }
    return entry;
  }

  private effectOf(
    record: LogRecord,
    last: { position: number; epoch: number; leader: NodeInfo | null; format: number },
  ): RecordEffect {
    switch (record.kind) {
      case 'lead':
        if (record.epoch !== last.epoch + 1) return { kind: 'fenced' };
        last.epoch = record.epoch;
        last.leader = record.node;
        return { kind: 'applied' };
      case 'resign':
        if (record.epoch !== last.epoch || last.leader === null) return { kind: 'fenced' };
        last.leader = null;
        return { kind: 'applied' };
      case 'format':
        if (record.epoch !== last.epoch || last.leader === null) return { kind: 'fenced' };
        if (record.format > this.lastFormat) throw new NewerFormatError(last.position, record.format, this.lastFormat);
        last.format = Math.max(last.format, record.format);
        return { kind: 'applied' };
      case 'data': {
        const isCurrent = record.epoch === null || (record.epoch === last.epoch && last.leader !== null);
        if (!isCurrent) return { kind: 'fenced' };
        const firstPosition = this.operations.get(record.opId);
        if (firstPosition !== undefined) return { kind: 'duplicate', firstPosition };
        this.operations.set(record.opId, last.position);
        return { kind: 'applied' };
      }
    }
  }
}

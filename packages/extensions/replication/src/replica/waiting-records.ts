import { ENTRY_HEAD_BYTES, recordSize } from '../entries/entry-codec.js';
import type { LogRecord } from '../entries/records.js';
import { FencedError, WithdrawnError } from '../log-errors.js';
import type { AcceptedEntry, LogState, RecordEffect } from './log-state.js';

/** Bytes of one entry at most: an object of this size takes some 100 ms to write and to read. */
const ENTRY_BYTES_MAX = 8 << 20;
/** Records of one entry at most. */
const ENTRY_RECORDS_MAX = 10_000;

/** Bytes of a record at most; what is larger goes into an object, and its key into the record. */
export const RECORD_BYTES_MAX: number = ENTRY_BYTES_MAX - ENTRY_HEAD_BYTES;

/** Where a record is in the log. Its effect is `applied` or `duplicate`. */
export interface Appended {
  readonly position: number;
  /** Its place among the records of the entry. */
  readonly recordIndex: number;
  readonly effect: RecordEffect;
}

interface WaitingRecord {
  readonly record: LogRecord;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/** Records that are appended together. */
export type Group = readonly WaitingRecord[];

/** Records on their way into the log: all that wait while one entry is appended become the next one. */
export class WaitingRecords {
  private waiting: WaitingRecord[] = [];

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** Resolves when the record is in the log and applied here. Throws RangeError for one that is too large. */
  add(record: LogRecord): Promise<Appended> {
    const size = recordSize(record);
    if (size > RECORD_BYTES_MAX) throw new RangeError(`a record of ${size} bytes exceeds ${RECORD_BYTES_MAX}`);
    return new Promise((resolve, reject) => {
      this.waiting.push({ record, resolve, reject });
    });
  }

  /** The next group, in order. Rejects records that would have no effect because their epoch has ended. */
  take(state: Pick<LogState, 'epoch' | 'leader'>): Group {
    const group: WaitingRecord[] = [];
    let bytes = 0;
    let taken = 0;
    for (const one of this.waiting) {
      const size = recordSize(one.record);
      if (group.length === ENTRY_RECORDS_MAX || bytes + size > RECORD_BYTES_MAX) break;
      taken += 1;
      if (isFenced(one.record, state)) {
        one.reject(new FencedError(one.record.epoch ?? 0, state.epoch));
        continue;
      }
      group.push(one);
      bytes += size;
    }
    this.waiting.splice(0, taken);
    return group;
  }

  /** Puts a group back that another entry came before. */
  putBack(group: Group): void {
    this.waiting.unshift(...group);
  }

  /** Rejects a record that waits; false when it does not: it is on its way, or has been appended. O(waiting) */
  withdraw(record: LogRecord): boolean {
    const at = this.waiting.findIndex((one) => one.record === record);
    if (at < 0) return false;
    const [withdrawn] = this.waiting.splice(at, 1);
    withdrawn!.reject(new WithdrawnError());
    return true;
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}

/** Answers a group whose entry is in the log and applied. */
export function settle(group: Group, { position, records }: AcceptedEntry, epoch: number): void {
  for (const [recordIndex, { record, resolve, reject }] of group.entries()) {
    const { effect } = records[recordIndex]!;
    if (effect.kind === 'fenced') reject(new FencedError(record.epoch ?? 0, epoch));
    else resolve({ position, recordIndex, effect });
  }
}

/** Whether the log is known to give the record no effect. */
function isFenced(record: LogRecord, { epoch, leader }: Pick<LogState, 'epoch' | 'leader'>): boolean {
  switch (record.kind) {
    case 'lead':
      return record.epoch !== epoch + 1;
    case 'resign':
    case 'format':
      return record.epoch !== epoch || leader === null;
    case 'data':
      return record.epoch !== null && (record.epoch !== epoch || leader === null);
  }
}

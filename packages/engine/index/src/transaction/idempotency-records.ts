import { isPlanted, utf8Bytes, utf8Text } from '@fossick/base';
import { type RowSink, type RowSource, TABLES } from '@fossick/format';

/**
 * Identifies a piece of work. The commit that does the work stores the key with the answer; when the same work is requested again, the
 * writer returns that answer and does nothing. Only the last commit of each index, and of the list of indexes, is remembered.
 */
export type IdempotencyKey = string;

/** Work done by a commit, and its answer as JSON. */
export interface IdempotencyRecord {
  readonly idempotencyKey: IdempotencyKey;
  readonly answer: unknown;
}

/** A record as stored: the key keeps the name of the first release. */
interface StoredRecord {
  readonly workId: IdempotencyKey;
  readonly answer: unknown;
}
const toStored = ({ idempotencyKey, answer }: IdempotencyRecord): StoredRecord => ({ workId: idempotencyKey, answer });

const KEY = utf8Bytes('receipts');

/**
 * The records of the last commit of an index. A caller marks work as done only after its commit; if the caller dies in between, it
 * requests the work again, and the record says that it is done.
 */
export function readRecords(rows: RowSource): ReadonlyMap<IdempotencyKey, unknown> {
  if (isPlanted('receipts.read')) return new Map(); // the fault makes finished work run again
  const bytes = rows.get(TABLES.meta, KEY);
  const records = bytes === undefined ? [] : (JSON.parse(utf8Text(bytes)) as StoredRecord[]);
  return new Map(records.map(({ workId, answer }) => [workId, answer]));
}

/** Replaces the records: one batch runs at a time, so records of earlier commits are obsolete. */
export function writeRecords(sink: RowSink, records: readonly IdempotencyRecord[]): void {
  if (records.length === 0) sink.delete(TABLES.meta, KEY);
  else sink.put(TABLES.meta, KEY, utf8Bytes(JSON.stringify(records.map(toStored))));
}

/** Undefined for work without a key. */
export function recordFor(
  idempotencyKey: IdempotencyKey | undefined,
  answer: unknown = null,
): IdempotencyRecord | undefined {
  return idempotencyKey === undefined ? undefined : { idempotencyKey, answer };
}

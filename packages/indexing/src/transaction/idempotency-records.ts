import { isPlanted } from '@fossick/base';
import { type RowSink, type RowSource, TABLES } from '@fossick/segments';

/**
 * Names a piece of work once and for all. The commit that does it keeps the name with the answer; asked for the same
 * work again, the writer gives that answer and does nothing. It remembers the last commit only: of each index, and of
 * the list of indexes.
 */
export type IdempotencyKey = string;

/** Work that a commit did, and what it answered. Answers are JSON. */
export interface IdempotencyRecord {
  readonly workId: IdempotencyKey;
  readonly answer: unknown;
}

const KEY = Buffer.from('receipts');

/**
 * The receipts of the last commit of an index. Whoever asks for work marks it as done only after the commit; should it
 * die in between it asks again, and finds here that there is nothing left to do.
 */
export function readRecords(rows: RowSource): ReadonlyMap<IdempotencyKey, unknown> {
  if (isPlanted('receipts.read')) return new Map(); // what is done is done again
  const bytes = rows.get(TABLES.meta, KEY);
  const receipts = bytes === undefined ? [] : (JSON.parse(Buffer.from(bytes).toString('utf8')) as IdempotencyRecord[]);
  return new Map(receipts.map(({ workId, answer }) => [workId, answer]));
}

/** Replaces the receipts: one batch runs at a time, so those of the commit before are of no use any more. */
export function writeRecords(sink: RowSink, receipts: readonly IdempotencyRecord[]): void {
  if (receipts.length === 0) sink.delete(TABLES.meta, KEY);
  else sink.put(TABLES.meta, KEY, Buffer.from(JSON.stringify(receipts), 'utf8'));
}

/** Undefined for work without a name. */
export function recordFor(workId: IdempotencyKey | undefined, answer: unknown = null): IdempotencyRecord | undefined {
  return workId === undefined ? undefined : { workId, answer };
}

import { createHash } from 'node:crypto';
import { type Condition, holds } from '@fossick/instance';
import type { ChangeSet, Durability, Store, WriteTransaction } from '@fossick/storage';
import {
  applyChanges,
  ByteFields,
  decodeChanges,
  encodeChanges,
  fieldSize,
  numberSize,
} from '@fossick/storage/changes';

/** A change as a record of a replicated log. Any node writes it. */
interface ValuesRecord {
  readonly changes: ChangeSet;
  readonly conditions: readonly RecordedCondition[];
}

/** A condition in a record. */
type RecordedCondition =
  /** SHA-256 of the value; null for no row. */
  | { readonly kind: 'row'; readonly table: string; readonly key: Uint8Array; readonly hash: Uint8Array | null }
  | { readonly kind: 'empty'; readonly table: string };

interface ApplyValuesOptions {
  /** `now` when absent. */
  readonly durability?: Durability;
  /** Called in the same transaction, after the records: for the position of the log. */
  readonly also?: (txn: WriteTransaction) => void;
}

/**
 * The bytes of a record:
 *
 *     u8 format | conditions: count, then each | the change set, to the end of the bytes
 *
 * A condition is u8 kind | name of the table | the rest, by kind: `row` key, SHA-256; `no row` key; `empty` nothing.
 */
const FORMAT = 1;
const ROW = 1;
const NO_ROW = 2;
const EMPTY = 3;
/** Names the bytes in errors. */
const SUBJECT = 'a record of values';

const encoder = new TextEncoder();

/** The record of a change. O(bytes) */
export function valuesRecord(changes: ChangeSet, conditions: readonly Condition[]): ValuesRecord {
  return { changes, conditions: conditions.map(recorded) };
}

function recorded(condition: Condition): RecordedCondition {
  if (condition.kind === 'empty') return condition;
  const { value, ...row } = condition;
  return { ...row, hash: value === null ? null : sha256(value) };
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

/** The body of a record in a replicated log. O(bytes) */
export function encodeValuesRecord({ changes, conditions }: ValuesRecord): Uint8Array {
  const encoded = encodeChanges(changes);
  const size = conditions.reduce((sum, condition) => sum + sizeOf(condition), 1 + numberSize(conditions.length));
  const bytes = new ByteFields(new Uint8Array(size + fieldSize(encoded)), SUBJECT);
  bytes.putByte(FORMAT);
  bytes.putNumber(conditions.length);
  for (const condition of conditions) {
    bytes.putByte(kindOf(condition));
    bytes.putText(condition.table);
    if (condition.kind === 'empty') continue;
    bytes.put(condition.key);
    if (condition.hash !== null) bytes.put(condition.hash);
  }
  bytes.put(encoded);
  return bytes.all;
}

function kindOf(condition: RecordedCondition): number {
  if (condition.kind === 'empty') return EMPTY;
  return condition.hash === null ? NO_ROW : ROW;
}

function sizeOf(condition: RecordedCondition): number {
  const head = 1 + fieldSize(encoder.encode(condition.table));
  if (condition.kind === 'empty') return head;
  return head + fieldSize(condition.key) + (condition.hash === null ? 0 : fieldSize(condition.hash));
}

/** The record of a body, as views of it. Throws RangeError for bytes that encodeValuesRecord cannot have written. */
export function decodeValuesRecord(encoded: Uint8Array): ValuesRecord {
  const bytes = new ByteFields(encoded, SUBJECT);
  const format = bytes.takeByte();
  if (format !== FORMAT) throw new RangeError(`${SUBJECT} has format ${format}, not ${FORMAT}`);
  const conditions: RecordedCondition[] = [];
  for (let left = bytes.takeNumber(); left > 0; left -= 1) {
    const kind = bytes.takeByte();
    const table = bytes.takeText();
    if (kind === EMPTY) conditions.push({ kind: 'empty', table });
    else if (kind === ROW) conditions.push({ kind: 'row', table, key: bytes.take(), hash: bytes.take() });
    else if (kind === NO_ROW) conditions.push({ kind: 'row', table, key: bytes.take(), hash: null });
    else throw new RangeError(`${SUBJECT} has a condition of kind ${kind}`);
  }
  const changes = decodeChanges(bytes.take());
  if (!bytes.isAtEnd) throw new RangeError(`${SUBJECT} has bytes after its end`);
  return { changes, conditions };
}

/**
 * Applies records in one transaction, each unless one of its conditions does not hold then; returns which had an effect.
 * Two stores with equal rows have equal rows afterwards. The caller tells caches of the changes.
 */
export function applyValues(
  store: Store,
  records: readonly ValuesRecord[],
  { durability = 'now', also }: ApplyValuesOptions = {},
): boolean[] {
  return store.transaction((txn) => {
    const done = records.map(({ changes, conditions }) => {
      if (!conditions.every((condition) => holds(store, heldBy(condition), sha256))) return false;
      applyChanges(txn, changes);
      return true;
    });
    also?.(txn);
    return done;
  }, durability);
}

function heldBy(condition: RecordedCondition): Condition {
  return condition.kind === 'empty' ? condition : { ...condition, value: condition.hash };
}

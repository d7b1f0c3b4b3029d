import { ByteFields, fieldSize, numberSize } from '../byte-fields.js';
import type { Change, ChangeSet } from './change-set.js';

/**
 * The bytes of a change set:
 *
 *     u8 format | tables: count, then each name as length + UTF-8 | changes, to the end of the bytes
 *
 * A change is u8 operation | number of its table | the rest, by operation: `put` key, value; `delete` key; `range`
 * start, end; `limited` start, end, limit; `clear` nothing. Bytes are preceded by their length, and numbers have
 * one form (byte-fields.ts), so a change set has one encoding.
 */
const FORMAT = 1;
const PUT = 1;
const DELETE = 2;
const RANGE = 3;
const LIMITED = 4;
const CLEAR = 5;
/** Names the bytes in errors. */
const SUBJECT = 'a change set';

const encoder = new TextEncoder();

/** The bytes of a change set. O(bytes) */
export function encodeChanges(changes: ChangeSet): Uint8Array {
  const tables = new Map<string, { readonly at: number; readonly name: Uint8Array }>();
  let length = 1;
  for (const change of changes) {
    let table = tables.get(change.table);
    if (table === undefined) {
      table = { at: tables.size, name: encoder.encode(change.table) };
      tables.set(change.table, table);
      length += fieldSize(table.name);
    }
    length += 1 + numberSize(table.at) + sizeOfRest(change);
  }
  const bytes = new ByteFields(new Uint8Array(length + numberSize(tables.size)), SUBJECT);
  bytes.putByte(FORMAT);
  bytes.putNumber(tables.size);
  for (const { name } of tables.values()) bytes.put(name);
  for (const change of changes) putChange(bytes, change, tables.get(change.table)!.at);
  return bytes.all;
}

/**
 * The changes of encoded bytes, as views of them. Throws RangeError for bytes that encodeChanges cannot have written.
 * Memory and time O(bytes), whatever the bytes are.
 */
export function decodeChanges(encoded: Uint8Array): Change[] {
  const bytes = new ByteFields(encoded, SUBJECT);
  const format = bytes.takeByte();
  if (format !== FORMAT) throw new RangeError(`a change set has format ${format}, not ${FORMAT}`);
  const tableCount = bytes.takeNumber();
  const tables: string[] = [];
  for (let at = 0; at < tableCount; at += 1) tables.push(bytes.takeText());
  if (new Set(tables).size !== tables.length) throw new RangeError('a change set names a table twice');
  const changes: Change[] = [];
  let used = 0;
  while (!bytes.isAtEnd) {
    const operation = bytes.takeByte();
    const at = bytes.takeNumber();
    // tables are numbered in the order of their first use
    if (at >= tables.length || at > used) throw new RangeError('a change set has a change of no table');
    if (at === used) used += 1;
    changes.push(takeChange(bytes, operation, tables[at]!));
  }
  if (used !== tables.length) throw new RangeError('a change set names a table that it does not change');
  return changes;
}

function putHead(bytes: ByteFields, operation: number, table: number): void {
  bytes.putByte(operation);
  bytes.putNumber(table);
}

function sizeOfRest(change: Change): number {
  switch (change.kind) {
    case 'put':
      return fieldSize(change.key) + fieldSize(change.value);
    case 'delete':
      return fieldSize(change.key);
    case 'deleteRange':
      return (
        fieldSize(change.start) + fieldSize(change.end) + (change.limit === undefined ? 0 : numberSize(change.limit))
      );
    case 'clear':
      return 0;
  }
}

function putChange(bytes: ByteFields, change: Change, table: number): void {
  switch (change.kind) {
    case 'put':
      putHead(bytes, PUT, table);
      bytes.put(change.key);
      bytes.put(change.value);
      break;
    case 'delete':
      putHead(bytes, DELETE, table);
      bytes.put(change.key);
      break;
    case 'deleteRange':
      putHead(bytes, change.limit === undefined ? RANGE : LIMITED, table);
      bytes.put(change.start);
      bytes.put(change.end);
      if (change.limit !== undefined) bytes.putNumber(change.limit);
      break;
    case 'clear':
      putHead(bytes, CLEAR, table);
      break;
  }
}

function takeChange(bytes: ByteFields, operation: number, table: string): Change {
  switch (operation) {
    case PUT:
      return { kind: 'put', table, key: takeKey(bytes), value: bytes.take() };
    case DELETE:
      return { kind: 'delete', table, key: takeKey(bytes) };
    case RANGE:
      return { kind: 'deleteRange', table, start: bytes.take(), end: bytes.take() };
    case LIMITED:
      return { kind: 'deleteRange', table, start: bytes.take(), end: bytes.take(), limit: bytes.takeNumber() };
    case CLEAR:
      return { kind: 'clear', table };
    default:
      throw new RangeError(`a change set has operation ${operation}`);
  }
}

function takeKey(bytes: ByteFields): Uint8Array {
  const key = bytes.take();
  if (key.length === 0) throw new RangeError('a change set has an empty key');
  return key;
}

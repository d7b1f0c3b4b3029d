import type { Change, ChangeSet } from './change-set.js';

/**
 * The bytes of a change set:
 *
 *     u8 format | tables: count, then each name as length + UTF-8 | changes, to the end of the bytes
 *
 * A change is u8 operation | number of its table | the rest, by operation: `put` key, value; `delete` key; `range`
 * start, end; `limited` start, end, limit; `clear` nothing. Bytes are preceded by their length. Numbers are LEB128 in
 * their shortest form, so a change set has one encoding.
 */
const FORMAT = 1;
const PUT = 1;
const DELETE = 2;
const RANGE = 3;
const LIMITED = 4;
const CLEAR = 5;
/** Bytes of the longest number that a double holds exactly. */
const NUMBER_BYTES_MAX = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a change set. O(bytes) */
export function encodeChanges(changes: ChangeSet): Uint8Array {
  const tables = new Map<string, { readonly at: number; readonly name: Uint8Array }>();
  let length = 1;
  for (const change of changes) {
    let table = tables.get(change.table);
    if (table === undefined) {
      table = { at: tables.size, name: encoder.encode(change.table) };
      tables.set(change.table, table);
      length += sizeOf(table.name);
    }
    length += 1 + numberSize(table.at) + sizeOfRest(change);
  }
  const bytes = new Bytes(new Uint8Array(length + numberSize(tables.size)));
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
  const bytes = new Bytes(encoded);
  const format = bytes.takeByte();
  if (format !== FORMAT) throw new RangeError(`a change set has format ${format}, not ${FORMAT}`);
  const tableCount = bytes.takeNumber();
  const tables: string[] = [];
  for (let at = 0; at < tableCount; at += 1) tables.push(nameOf(bytes.take()));
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

function nameOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new RangeError('the name of a table of a change set is not UTF-8', { cause: error });
  }
}

function sizeOfRest(change: Change): number {
  switch (change.kind) {
    case 'put':
      return sizeOf(change.key) + sizeOf(change.value);
    case 'delete':
      return sizeOf(change.key);
    case 'deleteRange':
      return sizeOf(change.start) + sizeOf(change.end) + (change.limit === undefined ? 0 : numberSize(change.limit));
    case 'clear':
      return 0;
  }
}

function putChange(bytes: Bytes, change: Change, table: number): void {
  switch (change.kind) {
    case 'put':
      bytes.putHead(PUT, table);
      bytes.put(change.key);
      bytes.put(change.value);
      break;
    case 'delete':
      bytes.putHead(DELETE, table);
      bytes.put(change.key);
      break;
    case 'deleteRange':
      bytes.putHead(change.limit === undefined ? RANGE : LIMITED, table);
      bytes.put(change.start);
      bytes.put(change.end);
      if (change.limit !== undefined) bytes.putNumber(change.limit);
      break;
    case 'clear':
      bytes.putHead(CLEAR, table);
      break;
  }
}

function takeChange(bytes: Bytes, operation: number, table: string): Change {
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

function takeKey(bytes: Bytes): Uint8Array {
  const key = bytes.take();
  if (key.length === 0) throw new RangeError('a change set has an empty key');
  return key;
}

function sizeOf(bytes: Uint8Array): number {
  return numberSize(bytes.length) + bytes.length;
}

function numberSize(value: number): number {
  let size = 1;
  for (let left = value; left >= 128; left = Math.floor(left / 128)) size += 1;
  return size;
}

/** Bytes that are written or read from their start to their end. */
class Bytes {
  readonly all: Uint8Array;
  private at = 0;

  constructor(all: Uint8Array) {
    this.all = all;
  }

  get isAtEnd(): boolean {
    return this.at === this.all.length;
  }

  putByte(value: number): void {
    this.all[this.at++] = value;
  }

  putNumber(value: number): void {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) this.putByte((left % 128) + 128);
    this.putByte(left);
  }

  putHead(operation: number, table: number): void {
    this.putByte(operation);
    this.putNumber(table);
  }

  /** Puts the length of the bytes, then the bytes. */
  put(bytes: Uint8Array): void {
    this.putNumber(bytes.length);
    this.all.set(bytes, this.at);
    this.at += bytes.length;
  }

  takeByte(): number {
    if (this.isAtEnd) throw new RangeError('a change set ends too early');
    return this.all[this.at++]!;
  }

  takeNumber(): number {
    let value = 0;
    let scale = 1;
    for (let size = 1; ; size += 1) {
      const byte = this.takeByte();
      value += (byte % 128) * scale;
      if (byte < 128) {
        const isShortest = size === 1 || byte > 0;
        if (!isShortest || !Number.isSafeInteger(value)) break;
        return value;
      }
      if (size === NUMBER_BYTES_MAX) break;
      scale *= 128;
    }
    throw new RangeError('a change set has a number that is too long');
  }

  take(): Uint8Array {
    const length = this.takeNumber();
    if (length > this.all.length - this.at) throw new RangeError('a change set ends too early');
    this.at += length;
    return this.all.subarray(this.at - length, this.at);
  }
}

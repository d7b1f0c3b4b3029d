import { createHash } from 'node:crypto';
import { ByteFields, fieldSize, numberSize } from '@fossick/storage/changes';
import { NewerFormatError } from '../log-errors.js';
import type { Entry, LogRecord, NodeInfo } from './records.js';

/**
 * The bytes of an entry:
 *
 *     u8 format | position | id | previous [32] | records, to the end of the bytes
 *
 * A record is u8 kind | its fields: `data` opId, name, epoch + 1 or 0, body; `lead` epoch, id and address of the node;
 * `resign` epoch; `format` epoch, format. Fields are those of ByteFields: an entry has one encoding.
 */
export const FIRST_FORMAT = 1;
/** The last format that this release reads and writes. A log has the one that its `format` records have raised it to. */
export const LAST_FORMAT = 1;
const DATA = 1;
const LEAD = 2;
const RESIGN = 3;
const RAISE = 4;
const SUBJECT = 'an entry';
const HASH_BYTES = 32;
const encoder = new TextEncoder();

/** Bytes of the rest of an entry besides its records, at most. */
export const ENTRY_HEAD_BYTES = 128;

/** The hash that the first entry of a log refers to: entries of one log never fit another one. */
export function firstHash(logName: string): Uint8Array {
  return sha256(encoder.encode(`fossick log ${logName}`));
}

/** What the next entry refers to. */
export function hashOfEntry(bytes: Uint8Array): Uint8Array {
  return sha256(bytes);
}

/** Bytes of a record in an entry. */
export function recordSize(record: LogRecord): number {
  switch (record.kind) {
    case 'data':
      return (
        1 +
        textSize(record.opId) +
        textSize(record.name) +
        numberSize(record.epoch === null ? 0 : record.epoch + 1) +
        fieldSize(record.body)
      );
    case 'lead':
      return 1 + numberSize(record.epoch) + textSize(record.node.id) + textSize(record.node.address);
    case 'resign':
      return 1 + numberSize(record.epoch);
    case 'format':
      return 1 + numberSize(record.epoch) + numberSize(record.format);
  }
}

export function encodeEntry({ format, position, id, previous, records }: Entry): Uint8Array {
  let size = 1 + numberSize(position) + textSize(id) + fieldSize(previous);
  for (const record of records) size += recordSize(record);
  const fields = new ByteFields(new Uint8Array(size), SUBJECT);
  fields.putByte(format);
  fields.putNumber(position);
  fields.putText(id);
  fields.put(previous);
  for (const record of records) putRecord(fields, record);
  return fields.all;
}

/**
 * The entry of encoded bytes, whose bodies are views of them. Throws RangeError for bytes that encodeEntry cannot have
 * written, and NewerFormatError for those of a later format than `lastFormat`. O(bytes)
 */
export function decodeEntry(bytes: Uint8Array, lastFormat = LAST_FORMAT): Entry {
  const fields = new ByteFields(bytes, SUBJECT);
  const format = fields.takeByte();
  // the position has the same place in every format
  if (format > lastFormat) throw new NewerFormatError(fields.takeNumber(), format, lastFormat);
  if (format < FIRST_FORMAT) throw new RangeError(`an entry has format ${format}`);
  const [position, id, previous] = [fields.takeNumber(), fields.takeText(), fields.take()];
  if (previous.length !== HASH_BYTES) throw new RangeError('an entry has a hash of another length');
  const records: LogRecord[] = [];
  while (!fields.isAtEnd) records.push(takeRecord(fields));
  return { format, position, id, previous, records };
}

function putRecord(fields: ByteFields, record: LogRecord): void {
  switch (record.kind) {
    case 'data':
      fields.putByte(DATA);
      fields.putText(record.opId);
      fields.putText(record.name);
      fields.putNumber(record.epoch === null ? 0 : record.epoch + 1);
      fields.put(record.body);
      break;
    case 'lead':
      fields.putByte(LEAD);
      fields.putNumber(record.epoch);
      fields.putText(record.node.id);
      fields.putText(record.node.address);
      break;
    case 'resign':
      fields.putByte(RESIGN);
      fields.putNumber(record.epoch);
      break;
    case 'format':
      fields.putByte(RAISE);
      fields.putNumber(record.epoch);
      fields.putNumber(record.format);
      break;
  }
}

function takeRecord(fields: ByteFields): LogRecord {
  const kind = fields.takeByte();
  switch (kind) {
    case DATA: {
      const [opId, name, epoch] = [fields.takeText(), fields.takeText(), fields.takeNumber()];
      return { kind: 'data', opId, name, epoch: epoch === 0 ? null : epoch - 1, body: fields.take() };
    }
    case LEAD: {
      const epoch = fields.takeNumber();
      const node: NodeInfo = { id: fields.takeText(), address: fields.takeText() };
      return { kind: 'lead', epoch, node };
    }
    case RESIGN:
      return { kind: 'resign', epoch: fields.takeNumber() };
    case RAISE:
      return { kind: 'format', epoch: fields.takeNumber(), format: fields.takeNumber() };
    default:
      throw new RangeError(`an entry has a record of kind ${kind}`);
  }
}

function textSize(text: string): number {
  const bytes = Buffer.byteLength(text);
  return numberSize(bytes) + bytes;
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

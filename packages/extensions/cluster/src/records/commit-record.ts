import { ByteFields, fieldSize } from '@fossick/storage/changes';

/** Names of the records that this package defines, as those of DataRecord. */
export const [COMMIT, COPY] = ['commit', 'copy'] as const;

/** One commit of the list of indexes (`instance`) or of an index (the name of its folder). */
export interface CommitRecord {
  readonly store: string;
  /** An encoded change set. */
  readonly changes: Uint8Array;
}

/** A new folder got all rows of another one, as they were at this place of the log. */
export interface CopyRecord {
  readonly from: string;
  readonly to: string;
}

/** Both records are `u8 format` and two fields, each after its length. */
const FORMAT = 1;
const encoder = new TextEncoder();

/** O(bytes) */
export function encodeCommit({ store, changes }: CommitRecord): Uint8Array {
  return encodeFields('a commit', encoder.encode(store), changes);
}

/** Throws RangeError for bytes that encodeCommit cannot have made. The changes are a view of the bytes. */
export function decodeCommit(bytes: Uint8Array): CommitRecord {
  const fields = fieldsOf(bytes, 'a commit');
  const record = { store: fields.takeText(), changes: fields.take() };
  expectEnd(fields, 'a commit');
  return record;
}

export function encodeCopy({ from, to }: CopyRecord): Uint8Array {
  return encodeFields('a copy', encoder.encode(from), encoder.encode(to));
}

/** Throws RangeError for bytes that encodeCopy cannot have made. */
export function decodeCopy(bytes: Uint8Array): CopyRecord {
  const fields = fieldsOf(bytes, 'a copy');
  const record = { from: fields.takeText(), to: fields.takeText() };
  expectEnd(fields, 'a copy');
  return record;
}

function encodeFields(subject: string, ...values: readonly Uint8Array[]): Uint8Array {
  const size = values.reduce((sum, value) => sum + fieldSize(value), 1);
  const fields = new ByteFields(new Uint8Array(size), subject);
  fields.putByte(FORMAT);
  for (const value of values) fields.put(value);
  return fields.all;
}

function fieldsOf(bytes: Uint8Array, subject: string): ByteFields {
  const fields = new ByteFields(bytes, subject);
  const format = fields.takeByte();
  if (format !== FORMAT) throw new RangeError(`the record of ${subject} has format ${format}, not ${FORMAT}`);
  return fields;
}

function expectEnd(fields: ByteFields, subject: string): void {
  if (!fields.isAtEnd) throw new RangeError(`the record of ${subject} is followed by other bytes`);
}

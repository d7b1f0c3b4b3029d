import { base64Bytes, compareBytes, partitionPoint } from '@fossick/base';
import { In } from './directory-codec.js';
import { DamagedFile, HEAD_BYTES, ID_BYTES } from './file-format.js';

/** The rows of one block, in memory. */
export interface BlockRows {
  readonly keys: readonly Uint8Array[];
  readonly values: readonly Uint8Array[];
  readonly byteCount: number;
}

/** Which block the bytes should be. */
export interface ExpectedBlock {
  /** The file that they come from, for errors. */
  readonly file: string;
  /** Base64 of the id of the export. */
  readonly id: string;
  readonly number: number;
  readonly rawBytes: number;
}

/** Reads a block that was unpacked. O(bytes) @throws DamagedFile when it is another one, or is cut */
export function readBlock(bytes: Uint8Array, { file, id, number, rawBytes }: ExpectedBlock): BlockRows {
  if (bytes.length !== rawBytes || bytes.length < HEAD_BYTES)
    throw new DamagedFile(file, `block ${number} has ${bytes.length} bytes instead of ${rawBytes}`);
  if (compareBytes(bytes.subarray(0, ID_BYTES), base64Bytes(id)) !== 0)
    throw new DamagedFile(file, `block ${number} belongs to another export`);
  const found = new DataView(bytes.buffer, bytes.byteOffset).getUint32(ID_BYTES);
  if (found !== number) throw new DamagedFile(file, `block ${found} is where block ${number} should be`);
  const input = new In(bytes, file, HEAD_BYTES);
  const [keys, values]: [Uint8Array[], Uint8Array[]] = [[], []];
  while (!input.isAtEnd) {
    const key = input.text();
    if (keys.length > 0 && compareBytes(keys.at(-1)!, key) >= 0)
      throw new DamagedFile(file, `the rows of block ${number} are not in order`);
    keys.push(key);
    values.push(input.text());
  }
  return { keys, values, byteCount: bytes.length };
}

/** The value of a key; undefined when the block lacks it. O(log rows) */
export function valueIn({ keys, values }: BlockRows, key: Uint8Array): Uint8Array | undefined {
  const at = lastNotAfter(keys, key);
  return at >= 0 && compareBytes(keys[at]!, key) === 0 ? values[at] : undefined;
}

/** Index of the last key that is not greater; -1 when there is none. O(log keys) */
export function lastNotAfter(keys: readonly Uint8Array[], key: Uint8Array): number {
  return partitionPoint(0, keys.length, (at) => compareBytes(keys[at]!, key) <= 0) - 1;
}

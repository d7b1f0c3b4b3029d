import { crc32 } from 'node:zlib';
import { apiError } from '@fossick/base';

/** Bytes after each value of a store with checksums: the CRC-32 of its key and value, little-endian. */
const SUM_BYTES = 4;
/** Below this length a loop is faster than a call into zlib. */
const SHORT_BYTES = 96;
/**
 * Values of at least this length are verified once per handle when they are read in place: they have pages of their
 * own, and readers read parts of them.
 */
const LONG_BYTES = 4_096;
/** Verified checksums that a handle remembers: some 3 MiB of them; with rows of 8 KiB each, that is 1 GiB. */
const KNOWN_MAX = 131_072;

const POLYNOMIAL = 0xedb88320;
/** The CRC-32 of any bytes followed by their own CRC-32, little-endian. */
const RESIDUE = 0x2144df1c;
const TABLE = new Int32Array(256).map((_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 1 ? POLYNOMIAL ^ (sum >>> 1) : sum >>> 1;
  return sum;
});

/** CRC-32 of a key and the value after it, as an i32: a row under a wrong key is a wrong row. */
export function sumOf(key: Uint8Array, value: Uint8Array): number {
  return addTo(addTo(0, key), value);
}

/**
 * Rows of up to this length are sealed in one reused buffer: rows of segments, of 64 KiB, are the longest frequent
 * ones.
 */
const BUFFER_BYTES = 128 << 10;
const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

/**
 * The value followed by its checksum, valid until the next call: LMDB copies what a transaction puts at once. A buffer
 * for each row would be garbage outside of V8's heap, which is not collected before it reaches 64 MiB.
 */
export function sealed(key: Uint8Array, value: Uint8Array): Uint8Array {
  const length = value.length + SUM_BYTES;
  const bytes = length <= BUFFER_BYTES ? buffer.subarray(0, length) : Buffer.allocUnsafe(length);
  bytes.set(value);
  bytes.writeInt32LE(sumOf(key, value), value.length);
  return bytes;
}

/** Whether the bytes of a row match its checksum. */
export function isSound(key: Uint8Array, bytes: Uint8Array): boolean {
  return bytes.length >= SUM_BYTES && sumOf(key, bytes) === RESIDUE;
}

/** Verifies what one handle of a store reads. */
export class RowSums {
  private readonly location: string;
  private readonly known = new Set<number>();

  /** `location`: names the store in the error of a damaged row. */
  constructor(location: string) {
    this.location = location;
  }

  /** The value without its checksum, as a view. Throws ApiError invalid_store_file when the row is damaged. O(bytes) */
  open(table: string, key: Uint8Array, bytes: Uint8Array): Uint8Array {
    if (!isSound(key, bytes)) {
      throw apiError('invalid_store_file', 'row', this.location, table);
    }
    return bytes.subarray(0, bytes.length - SUM_BYTES);
  }

  /** The same, but a long row that was verified before is not verified again. O(1) then. */
  openOnce(table: string, key: Uint8Array, bytes: Uint8Array): Uint8Array {
    if (bytes.length < LONG_BYTES) return this.open(table, key, bytes);
    const end = bytes.length - SUM_BYTES;
    // the checksum identifies the row: it includes the key, and differs when the row is rewritten
    const sum = sumAt(bytes, end);
    if (this.known.has(sum)) return bytes.subarray(0, end);
    const value = this.open(table, key, bytes);
    if (this.known.size >= KNOWN_MAX) this.known.clear();
    this.known.add(sum);
    return value;
  }
}

function addTo(sum: number, bytes: Uint8Array): number {
  if (bytes.length > SHORT_BYTES) return crc32(bytes, sum >>> 0) | 0;
  let state = ~sum;
  for (let at = 0; at < bytes.length; at++) state = TABLE[(state ^ bytes[at]!) & 255]! ^ (state >>> 8);
  return ~state;
}

function sumAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

const U32_MAX = 0xffff_ffff;
const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

/** One part of a composed key, encoded so that byte order is the order of the values. */
export type KeyPart =
  | { readonly kind: 'u8'; readonly value: number }
  | { readonly kind: 'u32'; readonly value: number }
  | { readonly kind: 'u64'; readonly value: bigint }
  | { readonly kind: 'text'; readonly value: string };

export const u8 = (value: number): KeyPart => ({ kind: 'u8', value });
export const u32 = (value: number): KeyPart => ({ kind: 'u32', value });
export const u64 = (value: bigint): KeyPart => ({ kind: 'u64', value });
/** UTF-8 ended by a zero byte, so that no text is a prefix of another; it must not contain U+0000. */
export const text = (value: string): KeyPart => ({ kind: 'text', value });

/** Concatenates the parts, numbers big-endian. Throws RangeError for a number out of its range. O(bytes). */
export function composeKey(...parts: readonly KeyPart[]): Uint8Array {
  const encoded = parts.map(encodePart);
  const key = new Uint8Array(encoded.reduce((sum, bytes) => sum + bytes.length, 0));
  let at = 0;
  for (const bytes of encoded) {
    key.set(bytes, at);
    at += bytes.length;
  }
  return key;
}

/** A key of one u32, big-endian. The hot case of composeKey. */
export function u32Key(value: number): Uint8Array {
  checkInteger(value, U32_MAX);
  const key = new Uint8Array(4);
  key[0] = value >>> 24;
  key[1] = value >>> 16;
  key[2] = value >>> 8;
  key[3] = value;
  return key;
}

/** Reads a big-endian u32 at `at`. */
export function readU32(key: Uint8Array, at = 0): number {
  return ((key[at]! << 24) | (key[at + 1]! << 16) | (key[at + 2]! << 8) | key[at + 3]!) >>> 0;
}

/** A key of one u64, big-endian. */
export function u64Key(value: bigint): Uint8Array {
  if (value < 0n || value > 0xffff_ffff_ffff_ffffn) throw new RangeError(`${value} is not a u64`);
  const key = new Uint8Array(8);
  new DataView(key.buffer).setBigUint64(0, value);
  return key;
}

/** Reads a big-endian u64 at `at`. */
export function readU64(key: Uint8Array, at = 0): bigint {
  return new DataView(key.buffer, key.byteOffset, key.byteLength).getBigUint64(at);
}

/** Reads a zero-ended text at `at`; `end` is the offset after its zero byte. */
export function readText(key: Uint8Array, at = 0): { readonly value: string; readonly end: number } {
  const zero = key.indexOf(0, at);
  if (zero < 0) throw new RangeError('a text of a key has no end');
  return { value: textDecoder.decode(key.subarray(at, zero)), end: zero + 1 };
}

/** The smallest key above every key that starts with `prefix`; undefined when there is none (all bytes 255). */
export function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  for (let last = prefix.length - 1; last >= 0; last -= 1) {
    if (prefix[last]! < 255) {
      const end = prefix.slice(0, last + 1);
      end[last]! += 1;
      return end;
    }
  }
  return undefined;
}

function encodePart(part: KeyPart): Uint8Array {
  if (part.kind === 'u32') return u32Key(part.value);
  if (part.kind === 'u64') return u64Key(part.value);
  if (part.kind === 'u8') {
    checkInteger(part.value, 255);
    return Uint8Array.of(part.value);
  }
  if (part.value.includes('\0')) throw new RangeError('a text of a key holds U+0000');
  return textEncoder.encode(`${part.value}\0`);
}

function checkInteger(value: number, max: number): void {
  if (!Number.isInteger(value) || value < 0 || value > max) throw new RangeError(`${value} is not in 0..${max}`);
}

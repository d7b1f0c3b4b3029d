/**
 * Texts as bytes, on every platform. Node's Buffer does the work where there is one: for short texts it is several
 * times faster than TextEncoder and TextDecoder.
 */

const NodeBuffer: typeof Buffer | undefined = (globalThis as { readonly Buffer?: typeof Buffer }).Buffer;
const encoder = new TextEncoder();
/** Keeps a byte order mark, as Buffer does. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Up to here a loop is faster than a call into the platform, in bytes. */
const SHORT_BYTES = 24;
/** Code units that one call of `String.fromCharCode` takes. */
const UNITS_PER_CALL = 4096;
const SURROGATE = /[\ud800-\udfff]/;

/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export const utf8Bytes: (text: string) => Uint8Array =
  NodeBuffer === undefined ? (text) => encoder.encode(text) : (text) => NodeBuffer.from(text, 'utf8');

/** The text of UTF-8 bytes from `start` to `end`; a wrong byte becomes U+FFFD. */
export function utf8Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  if (NodeBuffer === undefined) {
    const part = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
    return part.length <= SHORT_BYTES ? shortText(part) : decoder.decode(part);
  }
  return nodeView(bytes).toString('utf8', start, end);
}

/** The text as it is stored: lone surrogates become U+FFFD. */
export function storedText(text: string): string {
  return utf8Text(utf8Bytes(text));
}

/** The number of UTF-8 bytes of a text. O(length) */
export const utf8Length: (text: string) => number =
  NodeBuffer === undefined ? countBytes : (text) => NodeBuffer.byteLength(text);

/** Writes the UTF-8 bytes of a text at `at`, where there must be room; returns how many there are. */
export function writeUtf8(bytes: Uint8Array, text: string, at: number): number {
  if (NodeBuffer !== undefined) return nodeView(bytes).write(text, at, 'utf8');
  return encoder.encodeInto(text, bytes.subarray(at)).written;
}

/** One character for each byte: a text that is a key of a Map. */
export function latin1Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  if (NodeBuffer !== undefined) return nodeView(bytes).toString('latin1', start, end);
  let text = '';
  for (let at = start; at < end; at += UNITS_PER_CALL)
    text += String.fromCharCode(...bytes.subarray(at, Math.min(end, at + UNITS_PER_CALL)));
  return text;
}

/** The reverse of `latin1Text`. */
export function latin1Bytes(text: string): Uint8Array {
  if (NodeBuffer !== undefined) return NodeBuffer.from(text, 'latin1');
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export function base64Text(bytes: Uint8Array): string {
  return NodeBuffer === undefined ? btoa(latin1Text(bytes)) : nodeView(bytes).toString('base64');
}

/** The reverse of `base64Text`. */
export function base64Bytes(text: string): Uint8Array {
  return NodeBuffer === undefined ? latin1Bytes(atob(text)) : new Uint8Array(NodeBuffer.from(text, 'base64'));
}

/** Compares as unsigned bytes, a prefix before its extensions: negative, zero or positive. O(shorter length) */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  if (length > SHORT_BYTES && NodeBuffer !== undefined) return NodeBuffer.compare(left, right);
  for (let at = 0; at < length; at += 1) {
    const difference = left[at]! - right[at]!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The pieces as one array, which has a buffer of its own. O(bytes) */
export function joinedBytes(pieces: readonly Uint8Array[]): Uint8Array {
  let byteCount = 0;
  for (const { length } of pieces) byteCount += length;
  const bytes = ownBytes(byteCount);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Bytes of any values in a buffer of their own, for a caller that writes all of them. */
export const ownBytes: (byteCount: number) => Uint8Array<ArrayBuffer> =
  NodeBuffer === undefined
    ? (byteCount) => new Uint8Array(byteCount)
    : (byteCount) => NodeBuffer.allocUnsafeSlow(byteCount) as Uint8Array<ArrayBuffer>;

/** The same, possibly in a buffer that others share: faster for short arrays. */
export const looseBytes: (byteCount: number) => Uint8Array =
  NodeBuffer === undefined
    ? (byteCount) => new Uint8Array(byteCount)
    : (byteCount) => NodeBuffer.allocUnsafe(byteCount);

/** The first offset from `from` on of these bytes, of which there is at least one; -1 when they do not occur. */
export function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array, from = 0): number {
  if (NodeBuffer !== undefined) return nodeView(bytes).indexOf(wanted, from);
  const last = bytes.length - wanted.length;
  for (let at = bytes.indexOf(wanted[0]!, from); at >= 0 && at <= last; at = bytes.indexOf(wanted[0]!, at + 1)) {
    let length = 1;
    while (length < wanted.length && bytes[at + length] === wanted[length]) length += 1;
    if (length === wanted.length) return at;
  }
  return -1;
}

/** The same bytes as the platform's own kind, for many calls of the functions above. */
export function nativeView(bytes: Uint8Array): Uint8Array {
  return NodeBuffer === undefined ? bytes : nodeView(bytes);
}

function nodeView(bytes: Uint8Array): Buffer {
  return NodeBuffer!.isBuffer(bytes) ? bytes : NodeBuffer!.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** ASCII is read by a loop, other text by the decoder. */
function shortText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte >= 0x80) return decoder.decode(bytes);
    text += String.fromCharCode(byte);
  }
  return text;
}

function countBytes(text: string): number {
  let byteCount = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) at += 1;
    byteCount += unit < 0x800 ? 1 : 2; // the two units of a pair are four bytes
  }
  return byteCount;
}

/** Sorts distinct strings in the order of their UTF-8 bytes, in place. */
export function sortByBytes(words: string[]): string[] {
  // UTF-16 order, which the engine's own sort gives, differs from byte order only where surrogates meet U+E000..U+FFFF.
  return words.some((word) => SURROGATE.test(word)) ? words.sort(compareUtf8) : words.sort();
}

/**
 * The first number from `low` on of which `isBefore` does not hold; `high` when it holds of all below. It must hold of no number
 * after one of which it does not. O(log(high - low)) calls
 */
export function partitionPoint(low: number, high: number, isBefore: (at: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Compares two strings as their UTF-8 bytes: that is by code points. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The UTF-8 bytes of each string, as views of one buffer. */
export function encodeWords(words: readonly string[]): Uint8Array[] {
  let byteBound = 0;
  for (const word of words) byteBound += word.length * 3;
  const buffer = looseBytes(byteBound);
  const encoded: Uint8Array[] = new Array<Uint8Array>(words.length);
  let at = 0;
  for (let i = 0; i < words.length; i++) {
    const byteCount = writeUtf8(buffer, words[i]!, at);
    encoded[i] = buffer.subarray(at, at + byteCount);
    at += byteCount;
  }
  return encoded;
}

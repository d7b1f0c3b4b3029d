/**
 * Vectors in the rows of documents. A value of `_vectors` in its stored form is a MessagePack extension: a byte (1: `regenerate`), the number of dimensions
 * as u32, then the numbers as f32, all little-endian. Values of any other form stay as they are: other names are shown as they were given.
 */
import { addExtension } from 'msgpackr';
import type { JsonObject } from './parse-document.js';

/** MessagePack's type of the extension. */
export const VECTORS_TYPE = 0x47;
const HEAD_BYTES = 5;

/** Vectors on their way into a row. */
class PackedVectors {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

addExtension({
  Class: PackedVectors,
  type: VECTORS_TYPE,
  pack: ({ bytes }: PackedVectors) => bytes,
  unpack: (bytes: Uint8Array) => (arePassedOver ? null : unpackVectors(bytes)),
});
let arePassedOver = false;

/** Runs `work`, in which packed vectors are unpacked as null: whoever shows a document without its vectors need not make an object of each number. */
export function passingVectorsOver<T>(work: () => T): T {
  arePassedOver = true;
  try {
    return work();
  } finally {
    arePassedOver = false;
  }
}

/** The document with its vectors packed: what a row holds. The document itself when there is nothing to pack. O(numbers). */
export function packVectors(vectors: unknown): unknown {
  if (!isObject(vectors)) return vectors;
  let packed: JsonObject | undefined;
  for (const [name, value] of Object.entries(vectors)) {
    const bytes = packedValue(value);
    if (bytes === undefined) continue;
    packed ??= { ...vectors };
    Object.defineProperty(packed, name, { value: bytes, writable: true, enumerable: true, configurable: true });
  }
  return packed ?? vectors;
}

/** Undefined for a value that would not come back the same: of another form, or with numbers that need more than 32 bits. */
function packedValue(value: unknown): PackedVectors | undefined {
  if (!isObject(value)) return undefined;
  const [first, second, ...others] = Object.keys(value);
  if (first !== 'embeddings' || second !== 'regenerate' || others.length > 0) return undefined;
  const { embeddings, regenerate } = value;
  if (typeof regenerate !== 'boolean' || !Array.isArray(embeddings) || !Array.isArray(embeddings[0])) return undefined;
  const dimCount = embeddings[0].length;
  if (dimCount === 0) return undefined;
  const numbers = new Float32Array(embeddings.length * dimCount);
  let at = 0;
  for (const vector of embeddings as unknown[]) {
    if (!Array.isArray(vector) || vector.length !== dimCount) return undefined;
    for (const number of vector as unknown[]) {
      if (typeof number !== 'number' || Math.fround(number) !== number) return undefined;
      // no negative zero: a row of arrays has none either
      numbers[at++] = number + 0;
    }
  }
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = Number(regenerate);
  head.writeUInt32LE(dimCount, 1);
  return new PackedVectors(Buffer.concat([head, new Uint8Array(numbers.buffer)]));
}

function unpackVectors(bytes: Uint8Array): JsonObject {
  const dimCount = Buffer.from(bytes.buffer, bytes.byteOffset, HEAD_BYTES).readUInt32LE(1);
  // a copy of its own: typed arrays of wider numbers have to start at a multiple of their width
  const numbers = new Float32Array(Uint8Array.from(bytes.subarray(HEAD_BYTES)).buffer);
  const embeddings: number[][] = [];
  for (let from = 0; from < numbers.length; from += dimCount) {
    const vector: number[] = new Array(dimCount);
    for (let dim = 0; dim < dimCount; dim++) vector[dim] = numbers[from + dim]!;
    embeddings.push(vector);
  }
  return { embeddings, regenerate: bytes[0] === 1 };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

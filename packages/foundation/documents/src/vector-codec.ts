import { joinedBytes } from '@fossick/base';
/**
 * Vectors in stored documents. A value of `_vectors` in its stored form is a MessagePack extension: a byte (1: `regenerate`), the number of dimensions as
 * u32, then the numbers as f32, all little-endian. Values of any other form are stored unchanged, because hits show them as they were given.
 */
import { addExtension } from 'msgpackr';
import type { JsonObject } from './json/json-object.js';

/** MessagePack's type of the extension. */
export const VECTORS_TYPE = 0x47;
const HEAD_BYTES = 5;

/** Vectors to be packed. */
class PackedVectors {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
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

/** Runs `work` with packed vectors decoded as null, for callers that show documents without their vectors. */
export function passingVectorsOver<T>(work: () => T): T {
  arePassedOver = true;
  try {
    return work();
  } finally {
    arePassedOver = false;
  }
}

/** The document with its vectors packed, to be stored; the same object when there is nothing to pack. O(numbers). */
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

/**
 * Undefined for a value that would not be read back unchanged: of another form, or with numbers that need more than 32 bits.
 */
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
      // turns negative zero into zero, as in stored arrays
      numbers[at++] = number + 0;
    }
  }
  const head = new Uint8Array(HEAD_BYTES);
  head[0] = Number(regenerate);
  new DataView(head.buffer).setUint32(1, dimCount, true);
  return new PackedVectors(joinedBytes([head, new Uint8Array(numbers.buffer)]));
}

function unpackVectors(bytes: Uint8Array): JsonObject {
  const dimCount = new DataView(bytes.buffer, bytes.byteOffset, HEAD_BYTES).getUint32(1, true);
  // a copy: a typed array must start at a multiple of its element size
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

import { inOrder, keepingNames, memberNames, setOwn } from '@fossick/base';
import { addExtension, Packr } from 'msgpackr';
import { type FieldNames, haveIndexSteps } from './fields/field-names.js';
import type { JsonObject } from './json/json-object.js';
import { LosslessFloat } from './json/lossless-number.js';
import { packVectors, passingVectorsOver } from './vector-codec.js';

const FORM = { useRecords: false, variableMapSize: true, int64AsType: 'bigint' } as const;
/** Only integers beyond 2^53 are written in 64 bits, and they are read as bigint. */
const packer = keepingNames(new Packr({ ...FORM, mapsAsObjects: true }), new Packr({ ...FORM, mapsAsObjects: false }));

/** An extension type of eight bytes: MessagePack's own float type would be read as a plain number. */
export const LOSSLESS_FLOAT_TYPE = 0x46;
addExtension({
  Class: LosslessFloat,
  type: LOSSLESS_FLOAT_TYPE,
  pack: (float: LosslessFloat) => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, float.valueOf());
    return bytes;
  },
  unpack: (bytes: Uint8Array) => new LosslessFloat(new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0)),
});

/**
 * A document as bytes: MessagePack of the flat array [field id, value, field id, value, ...] of its top-level fields, in their order. Names are
 * stored once for the index; nested objects are MessagePack maps. Vectors are in single precision (vector-codec.ts); earlier releases wrote them as
 * arrays of numbers, which are read as well. Every top-level name must be in `fields`.
 */
export function encodeDocument(document: JsonObject, fields: FieldNames): Uint8Array {
  const flat: unknown[] = [];
  for (const key of memberNames(document))
    flat.push(fields.add(key), key === '_vectors' ? packVectors(document[key]) : document[key]);
  return packer.pack(flat);
}

/** Decodes a MessagePack value of this codec. */
export function unpackValue(bytes: Uint8Array, hasIndexNames = false): unknown {
  return packer.unpack(bytes, hasIndexNames);
}

/** The inverse of encodeDocument; `names` are the field names in id order. */
export function decodeDocument(bytes: Uint8Array, names: readonly string[]): JsonObject {
  return namedFields(unpackValue(bytes, haveIndexSteps(names)) as unknown[], names);
}

/** The same without `_vectors`; packed vectors are not decoded. */
export function decodeFields(bytes: Uint8Array, names: readonly string[]): JsonObject {
  const hasIndexNames = haveIndexSteps(names);
  const document = namedFields(passingVectorsOver(() => unpackValue(bytes, hasIndexNames)) as unknown[], names);
  delete document['_vectors'];
  return document;
}

function namedFields(flat: readonly unknown[], names: readonly string[]): JsonObject {
  const document: JsonObject = {};
  for (let i = 0; i < flat.length; i += 2) {
    const name = names[flat[i] as number]!;
    setOwn(document, name, flat[i + 1]);
  }
  return haveIndexSteps(names) ? inOrder(document, order(flat, names)) : document;
}

/** The names of the fields in stored order. */
function order(flat: readonly unknown[], names: readonly string[]): string[] {
  return flat.filter((_, at) => at % 2 === 0).map((id) => names[id as number]!);
}

import { indexOfBytes, utf8Bytes } from './bytes.js';
/** Writes values as bytes and reads them: the part of a MessagePack library that is used here. */
export interface ValuePacker {
  pack(value: unknown): Uint8Array;
  unpack(bytes: Uint8Array): unknown;
}

const RENAMED = utf8Bytes('__proto__');

/**
 * A packer that preserves every name: by itself, msgpackr reads `__proto__` as another name, and treats an object with
 * members `constructor` and `toJSON` as one with methods. `objects` reads maps as objects, `maps` as `Map`. O(bytes)
 */
export function keepingNames(objects: ValuePacker, maps: ValuePacker): ValuePacker {
  return {
    pack(value) {
      try {
        return objects.pack(value);
      } catch (error) {
        // a member `toJSON` that is no function; as Maps the value has no methods
        if (!(error instanceof TypeError)) throw error;
        return objects.pack(asMaps(value));
      }
    },
    unpack(bytes) {
      return indexOfBytes(bytes, RENAMED) >= 0 ? asObjects(maps.unpack(bytes)) : objects.unpack(bytes);
    },
  };
}

function asMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asMaps);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return new Map(Object.entries(value).map(([name, member]) => [name, asMaps(member)]));
}

function asObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asObjects);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...(value as Map<string, unknown>)].map(([name, member]) => [name, asObjects(member)]));
}

/** Writes values as bytes and reads them: what there is of a MessagePack library here. */
export interface ValuePacker {
  pack(value: unknown): Uint8Array;
  unpack(bytes: Uint8Array): unknown;
}

const RENAMED = Buffer.from('__proto__');

/**
 * A packer that gives every name back as it was: on its own, msgpackr reads `__proto__` as another name, and takes an object with members
 * `constructor` and `toJSON` for one with methods. `objects` reads maps as objects, `maps` as `Map`. O(bytes)
 */
export function keepingNames(objects: ValuePacker, maps: ValuePacker): ValuePacker {
  return {
    pack(value) {
      try {
        return objects.pack(value);
      } catch (error) {
        // a member `toJSON` that is no function; its value as Maps has no methods to be mistaken
        if (!(error instanceof TypeError)) throw error;
        return objects.pack(asMaps(value));
      }
    },
    unpack(bytes) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      return buffer.includes(RENAMED) ? asObjects(maps.unpack(bytes)) : objects.unpack(bytes);
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

import { indexOfBytes, utf8Bytes } from './bytes.js';
import { areOrdersNoted, fromMembers, isIndexName, memberEntries } from './own-members.js';

/** Writes values as bytes and reads them: the part of a MessagePack library that is used here. */
export interface ValuePacker {
  pack(value: unknown): Uint8Array;
  unpack(bytes: Uint8Array): unknown;
}
/** A packer whose objects keep their names. */
export interface NameKeepingPacker extends ValuePacker {
  /** `hasIndexNames`: names may look like indexes of a list, whose order only the slower way of reading keeps. */
  unpack(bytes: Uint8Array, hasIndexNames?: boolean): unknown;
}

const RENAMED = utf8Bytes('__proto__');

/**
 * A packer that preserves every name: by itself, msgpackr reads `__proto__` as another name, and treats an object with
 * members `constructor` and `toJSON` as one with methods. The order of members stays. `objects` reads maps as objects, `maps` as `Map`. O(bytes)
 */
export function keepingNames(objects: ValuePacker, maps: ValuePacker): NameKeepingPacker {
  return {
    pack(value) {
      try {
        return objects.pack(areOrdersNoted() ? withMaps(value) : value);
      } catch (error) {
        // a member `toJSON` that is no function; as Maps the value has no methods
        if (!(error instanceof TypeError)) throw error;
        return objects.pack(asMaps(value));
      }
    },
    unpack(bytes, hasIndexNames = false) {
      return hasIndexNames || indexOfBytes(bytes, RENAMED) >= 0 ? asObjects(maps.unpack(bytes)) : objects.unpack(bytes);
    },
  };
}

function asMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asMaps);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return new Map(
    memberEntries(value as object as Record<string, unknown>).map(([name, member]) => [name, asMaps(member)]),
  );
}

/** The value with Maps in place of objects whose order a Map keeps; the same value where there is none. O(size) */
function withMaps(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withMaps);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = memberEntries(value as Record<string, unknown>);
  const packed = members.map(([name, member]) => [name, withMaps(member)] as const);
  const [first] = Object.keys(value);
  if (first !== undefined && isIndexName(first)) return new Map(packed);
  return packed.some(([, member], at) => member !== members[at]![1]) ? Object.fromEntries(packed) : value;
}

function asObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asObjects);
  if (!(value instanceof Map)) return value;
  return fromMembers([...(value as Map<string, unknown>)].map(([name, member]) => [name, asObjects(member)] as const));
}

import { sharedError } from '../api-error.js';
import type { ApiError } from '../errors.js';
import { isIndexUid, MAX_INDEX_UID_BYTES, MAX_NAMES, MAX_VECTOR_NUMBERS } from '../limits.js';
import { setOwn } from '../own-members.js';
import { isJsonObject, type Parser, type Where, wrongType, wrongValue } from './fields.js';

/** Parsers of JSON values. Each throws with the given code and path. */
export const string: Parser<string> = (value, where) => {
  if (typeof value !== 'string') throw wrongType(where, 'a string', value);
  return value;
};
export const boolean: Parser<boolean> = (value, where) => {
  if (typeof value !== 'boolean') throw wrongType(where, 'a boolean', value);
  return value;
};
/** The nearest double to the largest unsigned 64-bit integer. */
const MAX_INTEGER = 2 ** 64;
export const integer: Parser<number> = (value, where) => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_INTEGER)
    throw wrongType(where, 'a non-negative integer', value);
  return value;
};
export const positiveInteger: Parser<number> = (value, where) => {
  const number = integer(value, where);
  if (number === 0) throw wrongValue(where, 'it must be greater than zero.');
  return number;
};
export const number: Parser<number> = (value, where) => {
  if (typeof value !== 'number') throw wrongType(where, 'a number', value);
  return value;
};
/** A number from 0 to 1. */
export const share: Parser<number> = (value, where) => {
  const given = number(value, where);
  if (given < 0 || given > 1) throw wrongValue(where, `it must lie between \`0.0\` and \`1.0\`, but it is ${given}.`);
  return given;
};
export const object: Parser<Record<string, unknown>> = (value, where) => {
  if (!isJsonObject(value)) throw wrongType(where, 'an object', value);
  return value;
};
/** A string of at most this many UTF-16 units. */
export const textUpTo =
  (maxUnits: number): Parser<string> =>
  (value, where) => {
    const text = string(value, where);
    if (text.length > maxUnits)
      throw wrongValue(where, `it has ${text.length} characters, and at most ${maxUnits} are taken.`);
    return text;
  };
/** Any value, checked later by the package that uses it. */
export const anything: Parser<unknown> = (value) => value;

export const listOf =
  <T>(item: Parser<T>, maxItems = Number.POSITIVE_INFINITY): Parser<T[]> =>
  (value, where) => {
    if (!Array.isArray(value)) throw wrongType(where, 'an array', value);
    checkLength(value.length, maxItems, where);
    return value.map((entry, i) => item(entry, itemOf(where, i)));
  };
export const strings: Parser<string[]> = listOf(string);
/** Names of attributes, facets or criteria, up to MAX_NAMES. */
export const names: Parser<string[]> = listOf(string, MAX_NAMES);
/** The number of a vector. Vectors are compared in single precision, which has no number beyond ±3.4e38. */
const vectorNumber: Parser<number> = (value, where) => singleNumber(number(value, where), where);
export const vector: Parser<number[]> = listOf(vectorNumber, MAX_VECTOR_NUMBERS);

/** The number, if it is finite in single precision. */
export function singleNumber(value: number, where: Where): number {
  if (Number.isFinite(Math.fround(value))) return value;
  throw wrongValue(where, 'it is beyond the numbers of single precision, which end at ±3.4e38.');
}

/** The path of a list's item or a map's member, built only when an error needs it, because lists may have half a million items. */
class NestedPath implements Where {
  readonly code: Where['code'];
  private readonly parent: Where;
  private readonly key: string | number;

  constructor(parent: Where, key: string | number) {
    this.code = parent.code;
    this.parent = parent;
    this.key = key;
  }

  get path(): string {
    const { parent, key } = this;
    return typeof key === 'number' ? `${parent.path}[${key}]` : `${parent.path}.${key}`;
  }
}

export const itemOf = (list: Where, at: number): Where => new NestedPath(list, at);

/** Throws for a list of more than `maxItems`. */
export function checkLength(length: number, maxItems: number, where: Where): void {
  if (length > maxItems) throw wrongValue(where, `it has ${length} items, and at most ${maxItems} are taken.`);
}

export const mapOf =
  <T>(item: Parser<T>): Parser<Record<string, T>> =>
  (value, where) => {
    const result: Record<string, T> = {};
    for (const [name, entry] of Object.entries(object(value, where)))
      setOwn(result, name, item(entry, new NestedPath(where, name)));
    return result;
  };
export const nullable =
  <T>(item: Parser<T>): Parser<T | null> =>
  (value, where) =>
    value === null ? null : item(value, where);

export const oneOf =
  <const T extends readonly string[]>(...names: T): Parser<T[number]> =>
  (value, where) => {
    const text = string(value, where);
    if (!names.includes(text))
      throw wrongValue(where, `\`${text}\` is not one of ${names.map((n) => `\`${n}\``).join(', ')}.`);
    return text;
  };

const INDEX_UID = 'index uid';
/** A name of the characters that indexes have; `what` is how errors call it. */
export const uidOf =
  (what: string): Parser<string> =>
  (value, where) => {
    const uid = string(value, where);
    if (!isIndexUid(uid)) throw wrongUid(uid, what, where);
    return uid;
  };
export const indexUid: Parser<string> = uidOf(INDEX_UID);
/**
 * The uid in a path, checked after authorisation and body; `what` is how errors call what is only named as indexes are. Throws
 * invalid_index_uid.
 */
export function checkIndexUid(given: string, what = INDEX_UID): string {
  const uid = string(given, { code: 'invalid_index_uid', path: '.uid' });
  if (!isIndexUid(uid)) throw wrongUid(uid, what, { code: 'invalid_index_uid', path: '' });
  return uid;
}
function wrongUid(uid: string, what: string, { code }: Where): ApiError {
  return sharedError(code, 'uid', uid, what, MAX_INDEX_UID_BYTES);
}

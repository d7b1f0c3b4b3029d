import { ApiError } from '../errors.js';
import { type Parser, wrongValue } from './fields.js';
import { itemOf, object, singleNumber } from './values.js';

/** Parsers of query parameters: the value is always text. */
export const queryText: Parser<string> = (value) => value as string;

export const queryBoolean: Parser<boolean> = (value, where) => {
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw wrongValue(where, `\`${value}\` is neither \`true\` nor \`false\`.`);
};
const MAX_UNSIGNED = 0xffff_ffff_ffff_ffffn;
/** Up to the largest unsigned 64-bit integer; beyond 2^53 the nearest double. */
export const queryInteger: Parser<number> = (value, where) => {
  const text = value as string;
  if (!/^\+?\d+$/.test(text) || BigInt(text.replace('+', '')) > MAX_UNSIGNED)
    throw wrongValue(where, `\`${text}\` is not a non-negative integer.`);
  return Number(text);
};
const queryNumber: Parser<number> = (value, where) => {
  const text = value as string;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(number)) throw wrongValue(where, `\`${text}\` is not a number.`);
  return number;
};
export const queryVectorNumber: Parser<number> = (value, where) => singleNumber(queryNumber(value, where), where);
export const queryShare: Parser<number> = (value, where) => {
  const number = queryNumber(value, where);
  if (number < 0 || number > 1) throw wrongValue(where, 'it must lie between `0.0` and `1.0`.');
  return number;
};
export const queryListOf =
  <T>(item: Parser<T>): Parser<T[]> =>
  (value, where) =>
    (value as string).split(',').map((text, i) => item(text, itemOf(where, i)));
export const queryList: Parser<string[]> = queryListOf(queryText);

/** A comma list; a `*` anywhere in it means "no restriction", which is null. The other items are still checked, empty ones too. */
export const queryListOrStar =
  <T>(item: Parser<T>): Parser<T[] | null> =>
  (value, where) => {
    const items = queryListOf<T | null>((text, at) => (text === '*' ? null : item(text, at)))(value, where);
    return items.includes(null) ? null : (items as T[]);
  };

/** Sort criteria: the commas inside `_geoPoint(lat, lng)` do not split. */
export const querySort: Parser<string[]> = (value) => {
  const text = value as string;
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  parts.push(text.slice(start).trim());
  return parts;
};

/** A filter: JSON when it parses as an array or a string, else the raw expression. */
export const queryFilter: Parser<unknown> = (value) => {
  try {
    return JSON.parse(value as string) as unknown;
  } catch {
    return value;
  }
};

/** An object: its JSON text. */
export const queryJsonObject: Parser<Record<string, unknown>> = (value, where) => {
  try {
    return object(JSON.parse(value as string), where);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw wrongValue(where, `it is not JSON: ${(error as Error).message}.`);
  }
};

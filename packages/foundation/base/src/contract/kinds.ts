/**
 * Kinds of values of requests: each has the parser of a body, the parser of a query string and the JSON schema in one
 * place. `says` describes the value in the OpenAPI document, examples are shown there.
 */
import { MAX_INDEX_UID_BYTES, MAX_NAMES, MAX_VECTOR_NUMBERS } from '../limits.js';
import { type Fields, type Kind, type Parser, type Received, readFields, type Schema } from './fields.js';
import {
  queryBoolean,
  queryInteger,
  queryJsonObject,
  queryList,
  queryListOf,
  queryShare,
  querySort,
  queryText,
  queryVectorNumber,
} from './query-values.js';
import { objectSchema } from './schemas.js';
import * as values from './values.js';

/** Description and examples of a schema, those that are not empty. */
export const described = (says: string, examples: readonly unknown[] = []): Schema => ({
  ...(says === '' ? {} : { description: says }),
  ...(examples.length === 0 ? {} : { examples }),
});
const example = (items: readonly string[]): readonly unknown[] => (items.length === 0 ? [] : [items]);

/** A kind with one parser for bodies and query strings. */
export const kindOf = <T>(parse: Parser<T>, schema: Schema, allows: string): Kind<T> => ({
  parse,
  inQuery: parse,
  schema,
  allows,
});

export const text = (says: string, ...examples: readonly string[]): Kind<string> => ({
  parse: values.string,
  inQuery: queryText,
  schema: { type: 'string', ...described(says, examples) },
  allows: 'a string',
});
/** Text of at most `maxUnits` UTF-16 units. */
export const textUpTo = (maxUnits: number, says: string, ...examples: readonly string[]): Kind<string> => ({
  ...checked(text(says, ...examples), values.textUpTo(maxUnits)),
  schema: { type: 'string', maxLength: maxUnits, ...described(says, examples) },
});
export const flag = (says: string): Kind<boolean> => ({
  parse: values.boolean,
  inQuery: queryBoolean,
  schema: { type: 'boolean', ...described(says) },
  allows: 'a boolean',
});
/** An integer from 0 on. */
export const count = (says: string): Kind<number> => ({
  parse: values.integer,
  inQuery: queryInteger,
  schema: { type: 'integer', minimum: 0, ...described(says) },
  allows: 'a non-negative integer',
});
/** An integer from 1 on. */
export const positive = (says: string): Kind<number> => ({
  parse: values.positiveInteger,
  inQuery: queryInteger,
  schema: { type: 'integer', minimum: 1, ...described(says) },
  allows: 'a positive integer',
});
/** A number from 0 to 1. */
export const share = (says: string): Kind<number> => ({
  parse: values.share,
  inQuery: queryShare,
  schema: { type: 'number', minimum: 0, maximum: 1, ...described(says) },
  allows: 'a number from 0.0 to 1.0',
});
/** Names of attributes, facets or criteria, up to MAX_NAMES. */
export const names = (says: string, ...items: readonly string[]): Kind<readonly string[]> => ({
  parse: values.names,
  inQuery: queryList,
  schema: { type: 'array', items: { type: 'string' }, maxItems: MAX_NAMES, ...described(says, example(items)) },
  allows: 'an array of attribute names, or `["*"]`',
});
/** Sort criteria: in a query string, the commas inside `_geoPoint(lat, lng)` do not split. */
export const criteria = (says: string, ...items: readonly string[]): Kind<readonly string[]> => ({
  ...names(says, ...items),
  inQuery: querySort,
});
/** A vector of single precision, up to MAX_VECTOR_NUMBERS. */
export const vector = (says: string, ...examples: readonly unknown[]): Kind<readonly number[]> => ({
  parse: values.vector,
  inQuery: queryListOf(queryVectorNumber),
  schema: {
    type: 'array',
    items: { type: 'number' },
    maxItems: MAX_VECTOR_NUMBERS,
    ...described(says, examples),
  },
  allows: 'an array of numbers in single precision',
});
/** The uid of an index. */
export const indexUid: Kind<string> = kindOf(
  values.indexUid,
  {
    type: 'string',
    pattern: `^[a-zA-Z0-9_-]{1,${MAX_INDEX_UID_BYTES}}$`,
    description: `Unique name of an index: up to ${MAX_INDEX_UID_BYTES} of the characters a-z, A-Z, 0-9, \`-\` and \`_\`.`,
    examples: ['movies'],
  },
  'the uid of an index',
);
/** One of some words. */
export const choice = <const T extends readonly string[]>(words: T, says = ''): Kind<T[number]> => {
  const last = words.length - 1;
  const allows = words.map((word, i) => `${i === 0 ? '' : i === last ? ' or ' : ', '}\`${word}\``).join('');
  return kindOf(values.oneOf(...words), { type: 'string', enum: words, ...described(says) }, allows);
};
/** Any JSON object; a query string has its JSON text. */
export const anyObject = (says: string): Kind<Record<string, unknown>> => ({
  parse: values.object,
  inQuery: queryJsonObject,
  schema: { type: 'object', additionalProperties: {}, ...described(says) },
  allows: 'an object',
});
/** Any value: the code that uses it checks it. */
export const anything = (says: string): Kind<unknown> => kindOf(values.anything, described(says), 'a value');

export interface ListRule {
  readonly says?: string;
  readonly maxItems?: number;
  readonly examples?: readonly unknown[];
}
/** A list; in a query string its items are separated by commas. */
export const listOf = <T>(item: Kind<T>, { says = '', maxItems, examples }: ListRule = {}): Kind<readonly T[]> => ({
  parse: values.listOf(item.parse, maxItems),
  inQuery: queryListOf(item.inQuery),
  schema: {
    type: 'array',
    items: item.schema,
    ...(maxItems === undefined ? {} : { maxItems }),
    ...described(says, examples),
  },
  allows: 'an array',
});
/** Values by names of the client. */
export const mapOf = <T>(item: Kind<T>, says = ''): Kind<Readonly<Record<string, T>>> => {
  const schema = { type: 'object', additionalProperties: item.schema, ...described(says) };
  return kindOf(values.mapOf(item.parse), schema, 'an object');
};
export const nullable = <T>(kind: Kind<T>): Kind<T | null> => ({
  ...kind,
  parse: values.nullable(kind.parse),
  schema: { anyOf: [kind.schema, { type: 'null' }] },
});

export interface ObjectRule {
  readonly says?: string;
  /** The name of its schema in the OpenAPI document. */
  readonly id?: string;
  /** Unknown members have the code `bad_request` instead of the code of the object. */
  readonly hasPlainCode?: boolean;
}
/** An object with the members of a table. */
export const objectOf = <F extends Fields>(fields: F, rule: ObjectRule = {}): Kind<Received<F>> => {
  const { says = '', id, hasPlainCode = false } = rule;
  const parse: Parser<Received<F>> = (value, { code, path }) =>
    readFields(value, fields, hasPlainCode ? {} : { unknownCode: code }, path);
  const schema = { ...objectSchema(fields), ...described(says), ...(id === undefined ? {} : { id }) };
  return { parse, inQuery: queryJsonObject as Parser<Received<F>>, schema, allows: 'an object' };
};

/** The kind with another parser, in bodies and in query strings: it asks more than the schema says. */
export const checked = <T, R>(kind: Kind<T>, parse: Parser<R>): Kind<R> => ({ ...kind, parse, inQuery: parse });
/** The kind with its value in another form. */
export const mapped = <T, R>(kind: Kind<T>, change: (value: T) => R): Kind<R> => ({
  ...kind,
  parse: (value, where) => change(kind.parse(value, where)),
  inQuery: (value, where) => change(kind.inQuery(value, where)),
});
/** The kind with more members in its schema. */
export const shown = <T>(kind: Kind<T>, more: Schema): Kind<T> => ({ ...kind, schema: { ...kind.schema, ...more } });
/** The kind with its valid values in other words, for the page of errors. */
export const allowing = <T>(kind: Kind<T>, allows: string): Kind<T> => ({ ...kind, allows });
/** Text that a test cannot generate: it uses the examples. */
export const exampleText = (says: string, ...examples: readonly string[]): Kind<string> =>
  shown(text(says, ...examples), { 'x-only-examples': true });

import { type ApiError, type ErrorCode, own, setOwn, sharedError } from '@fossick/base';
import { closestName } from '@fossick/base/closest-name';

/** The position of a value: the code of its errors, and its path in the received object (`.a.b[2]` or a query parameter's name). */
export interface Where {
  readonly code: ErrorCode;
  readonly path: string;
}
/** Checks one received value and returns it typed; throws ApiError with the code of `where`. */
export type Parser<T> = (value: unknown, where: Where) => T;

/** One member of a body or one query parameter. */
export interface Field<T> {
  readonly code: ErrorCode;
  readonly parse: Parser<T>;
  /** Set for a mandatory member: the code when it is absent. Null is then a wrong type. */
  readonly missing?: ErrorCode;
  /** Set for a member that may be absent but not null. */
  readonly refusesNull?: boolean;
}
export type Fields = Readonly<Record<string, Field<unknown>>>;
export interface FieldsRule {
  /** Code of unknown members. */
  readonly unknownCode?: ErrorCode;
  /** Known but read-only members, each with its code. */
  readonly immutable?: Readonly<Record<string, ErrorCode>>;
  /** Unknown members are ignored instead of refused. */
  readonly ignoresUnknown?: boolean;
}
/** The received members; absent members are absent, null stays null. */
export type Received<F extends Fields> = {
  [K in keyof F]?: (F[K] extends Field<infer T> ? T : never) | null;
};

/** Optional member. */
export const optional = <T>(code: ErrorCode, parse: Parser<T>): Field<T> => ({ code, parse });
/** Optional member that is not null. */
export const optionalNotNull = <T>(code: ErrorCode, parse: Parser<T>): Field<T> => ({ code, parse, refusesNull: true });
/** Mandatory member; `missing` is the code when it is absent. */
export const required = <T>(code: ErrorCode, parse: Parser<T>, missing: ErrorCode): Field<T> => ({
  code,
  parse,
  missing,
});

/**
 * Reads a JSON object member by member in the order received: the first invalid one is reported, unknown names included; missing members are reported
 * last.
 */
export function readFields<F extends Fields>(value: unknown, fields: F, rule: FieldsRule = {}, path = ''): Received<F> {
  const unknownCode = rule.unknownCode ?? 'bad_request';
  if (!isJsonObject(value)) throw wrongType({ code: unknownCode, path }, 'an object', value);
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const field = own(fields, name);
    const at = `${path}.${name}`;
    if (field === undefined) {
      const immutable = own(rule.immutable ?? {}, name);
      if (immutable !== undefined) throw sharedError(immutable, 'immutable', at);
      if (rule.ignoresUnknown === true) continue;
      throw unknownMember('field', name, path, Object.keys(fields), unknownCode);
    }
    const member = value[name];
    if (member === null && field.missing === undefined && field.refusesNull !== true) setOwn(result, name, null);
    else setOwn(result, name, field.parse(member, { code: field.code, path: at }));
  }
  for (const [name, missing] of mandatory(fields)) {
    if (Object.hasOwn(result, name)) continue;
    throw sharedError(missing, 'missingField', name, path === '' ? '' : ` inside \`${path}\``);
  }
  return result as Received<F>;
}

type Mandatory = readonly (readonly [name: string, missing: ErrorCode])[];
/** Most bodies have dozens of optional members, and at most one mandatory one. */
const mandatoryOf = new WeakMap<Fields, Mandatory>();

function mandatory(fields: Fields): Mandatory {
  let known = mandatoryOf.get(fields);
  if (known === undefined) {
    known = Object.entries(fields).flatMap(([name, { missing }]) => (missing === undefined ? [] : [[name, missing]]));
    mandatoryOf.set(fields, known);
  }
  return known;
}

/** Reads a query string parameter by parameter; of a repeated parameter the last value counts. */
export function readQuery<F extends Fields>(query: string, fields: F): Received<F> {
  const result: Record<string, unknown> = {};
  // URLSearchParams drops one leading question mark, which must not be one of the query's own
  for (const [name, text] of new URLSearchParams(`?${query}`)) {
    const field = own(fields, name);
    if (field === undefined) throw unknownMember('parameter', name, '', Object.keys(fields), 'bad_request');
    setOwn(result, name, field.parse(text, { code: field.code, path: name }));
  }
  for (const [name, field] of Object.entries(fields)) {
    if (field.missing === undefined || Object.hasOwn(result, name)) continue;
    throw sharedError(field.missing, 'missingParameter', name);
  }
  return result as Received<F>;
}

/** Reads the query of a route that takes none. */
export function readNoQuery(query: string): void {
  if (query !== '') readQuery(query, {});
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
/** The name of a JSON value's type in error messages. */
export function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return `a ${typeof value}: \`${text.length > 80 ? `${text.slice(0, 80)}…` : text}\``;
}
/** The error of a value of the wrong type. */
export function wrongType(where: Where, expected: string, value: unknown): ApiError {
  const location = where.path === '' ? 'The request body' : `\`${where.path}\``;
  return sharedError(where.code, 'wrongType', location, expected, nameOfType(value));
}
/** The error of a value of the right type that is not allowed. */
export function wrongValue(where: Where, message: string): ApiError {
  return sharedError(where.code, 'wrongValue', where.path, message);
}

function unknownMember(kind: string, name: string, path: string, known: readonly string[], code: ErrorCode): ApiError {
  const location = path === '' ? '' : ` inside \`${path}\``;
  const near = closestName(name, known);
  const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`;
  const list =
    known.length === 0 ? `No ${kind} is accepted here.` : `Accepted: ${known.map((n) => `\`${n}\``).join(', ')}.`;
  return sharedError(code, 'unknownMember', kind, name, location, hint, list);
}

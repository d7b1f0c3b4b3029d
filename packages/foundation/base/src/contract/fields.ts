import { sharedError } from '../api-error.js';
import { closestName } from '../closest-name.js';
import type { ErrorCode } from '../error-table.js';
import type { ApiError } from '../errors.js';
import { own, setOwn } from '../own-members.js';

/** The position of a value: the code of its errors, and its path in the received object (`.a.b[2]` or a query parameter's name). */
export interface Where {
  readonly code: ErrorCode;
  readonly path: string;
}
/** Checks one received value and returns it typed; throws ApiError with the code of `where`. */
export type Parser<T> = (value: unknown, where: Where) => T;

/** A JSON schema as plain data: nothing is loaded for it before the OpenAPI document is made. */
export type Schema = { readonly [name: string]: unknown };

/** A kind of value: what checks it in a body and in a query string, and its JSON schema. */
export interface Kind<T> {
  readonly parse: Parser<T>;
  /** Checks the text of a query parameter. */
  readonly inQuery: Parser<T>;
  readonly schema: Schema;
  /** The valid values in words, for the page of errors. */
  readonly allows: string;
}

/** One member of a body or one query parameter. `D` is the type of its default. */
export interface Field<T, D = unknown> {
  readonly code: ErrorCode;
  readonly parse: Parser<T>;
  readonly kind: Kind<T>;
  /** The value of an absent member, or of null; null: there is none. */
  readonly default: D;
  /** What null means, where that is not the default. */
  readonly whenNull?: T | undefined;
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
/** All members, with the defaults of those that were not sent. */
export type Complete<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, infer D> ? T | D : never;
};
/** The members as a program may give them. */
export type Given<F extends Fields> = {
  readonly [K in keyof F]?: (F[K] extends Field<infer T> ? T : never) | undefined;
};

/** Optional member; null means its default, or `whenNull` where that is given. */
export function optional<T>(code: ErrorCode, kind: Kind<T>): Field<T, null>;
export function optional<T>(code: ErrorCode, kind: Kind<T>, byDefault: NoInfer<T>, whenNull?: NoInfer<T>): Field<T, T>;
export function optional<T>(
  code: ErrorCode,
  kind: Kind<T>,
  byDefault: T | null = null,
  whenNull?: T,
): Field<T, T | null> {
  return { code, parse: kind.parse, kind, default: byDefault, whenNull };
}

/** Optional member that is not null. */
export const optionalNotNull = <T>(code: ErrorCode, kind: Kind<T>, byDefault?: NoInfer<T>): Field<T, T> => ({
  code,
  parse: kind.parse,
  kind,
  default: byDefault as T,
  refusesNull: true,
});
/** Mandatory member; `missing` is the code when it is absent. */
export const required = <T>(code: ErrorCode, kind: Kind<T>, missing: ErrorCode): Field<T, never> => ({
  code,
  parse: kind.parse,
  kind,
  default: undefined as never,
  missing,
});

/** Some members of a table. */
export function pick<F extends Fields, K extends keyof F & string>(fields: F, ...names: readonly K[]): Pick<F, K> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<F, K>;
}
/** The members of a table but some. */
export function omit<F extends Fields, K extends keyof F & string>(fields: F, ...names: readonly K[]): Omit<F, K> {
  const left = Object.entries(fields).filter(([name]) => !(names as readonly string[]).includes(name));
  return Object.fromEntries(left) as Omit<F, K>;
}

/** The same members as the parameters of a query string. */
export function inQuery<F extends Fields>(fields: F): F {
  const parameters = Object.entries(fields).map(([name, field]) => [name, { ...field, parse: field.kind.inQuery }]);
  return Object.fromEntries(parameters) as F;
}

/**
 * Makes a function that adds the defaults to received members; members of other tables are left out. The defaults are
 * copied as a whole, so that a request costs its own members and not those of the table.
 */
export function completing<F extends Fields>(fields: F): (received: Received<F>) => Complete<F> {
  const defaults = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]));
  // null in a mandatory member is a value of it
  const whenNull = new Map(
    Object.entries(fields).map(([name, field]) => [name, field.missing === undefined ? field.whenNull : null]),
  );
  return (received) => {
    const complete: Record<string, unknown> = { ...defaults };
    for (const name of Object.keys(received)) {
      if (!whenNull.has(name)) continue;
      const given = received[name];
      const value = given === null ? whenNull.get(name) : given;
      if (value !== undefined) setOwn(complete, name, value);
    }
    return complete as Complete<F>;
  };
}

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
function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'bigint') return `a number: \`${value}\``;
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

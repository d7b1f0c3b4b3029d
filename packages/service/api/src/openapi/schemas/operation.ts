import { type ErrorCode, errorTable, type Json, MAX_INDEX_UID_BYTES } from '@fossick/base';
import { z } from 'zod';
import type { AnySchema } from './zod-schema.js';

/** The type of an answer, which is read only. Whatever its schema leaves open is JSON. */
export type AnswerOf<S extends z.ZodType> = Answer<z.infer<S>>;
type Answer<T> = unknown extends T
  ? Json
  : T extends readonly (infer Item)[]
    ? readonly Answer<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Answer<Exclude<T[Name], undefined>> }
      : T;

/** One response of an operation. */
export interface AnswerSpec {
  readonly status: number;
  readonly says: string;
  /** Absent: the response has no body. */
  readonly schema?: AnySchema;
  /** The media type of the body, when it is not JSON. */
  readonly mediaType?: string;
  /** An alternative media type. */
  readonly otherMediaType?: string;
  readonly example?: unknown;
}
/** The request body of an operation. */
export interface BodySpec {
  readonly schema: AnySchema;
  readonly example: unknown;
  /** Accepted media types besides JSON, each with an example as it is sent. Absent: JSON only. */
  readonly otherMedia?: Readonly<Record<string, string>>;
}
/** The answers of an operation that only shows something. */
export const shows = (says: string, schema: AnySchema, example: unknown, mediaType?: string): readonly AnswerSpec[] => [
  { status: 200, says, schema, example, ...(mediaType === undefined ? {} : { mediaType }) },
];
/** In place of an action: any valid key or tenant token is enough. */
export const ANY_KEY = 'any';
/** One method of one path, for OpenAPI. Schemas of requests come from the tables that check them. */
export interface Operation {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With placeholders in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** The action that a key needs, or ANY_KEY; null: no key is needed. */
  readonly action: string | null;
  /** The experimental feature that must be enabled. */
  readonly feature?: string;
  /** Values by their meaning: lists are comma-separated in the query. */
  readonly query?: AnySchema;
  readonly body?: BodySpec;
  readonly answers: readonly AnswerSpec[];
  /** Error codes besides those that every operation of its kind may return. */
  readonly errors: readonly ErrorCode[];
}

/** What an operation has besides the members that it shares with others; no errors of its own where it names none. */
type Own<Shared> = Omit<Operation, keyof Shared | 'method' | 'path' | 'errors'> &
  Partial<Pick<Operation, 'errors'>> & {
    /** Its method and its path: `GET /keys`. */
    readonly route: `${Uppercase<Operation['method']>} ${string}`;
  };
/** Operations, each with the members that they share. */
export function operationsOf<Shared extends Partial<Operation>>(
  shared: Shared,
  operations: readonly Own<Shared>[],
): readonly Operation[];
export function operationsOf(
  shared: Partial<Operation>,
  operations: readonly (Partial<Operation> & { readonly route: string })[],
): readonly Operation[] {
  return operations.map(({ route, ...operation }) => {
    const [method = '', path] = route.split(' ');
    return { method: method.toLowerCase(), path, errors: [], ...shared, ...operation } as Operation;
  });
}

/** Codes of the table that begin with one of the prefixes. */
export function codesOf(...prefixes: readonly string[]): ErrorCode[] {
  return [...errorTable.keys()].filter((code) => prefixes.some((prefix) => code.startsWith(prefix)));
}

export const text = (says: string, ...examples: readonly string[]): z.ZodString =>
  examples.length === 0
    ? z.string().meta({ description: says })
    : z.string().meta({ description: says, examples: [...examples] });
export const flag = (says: string): z.ZodBoolean => z.boolean().meta({ description: says });
export const count = (says: string): z.ZodNumber => z.int().min(0).meta({ description: says });
export const date = (says: string): z.ZodString =>
  z.string().meta({ description: says, format: 'date-time', examples: ['2030-01-31T12:00:00Z'] });
/** A text that a test cannot generate: one of the examples. */
export const exampleText = (says: string, ...examples: readonly string[]): z.ZodString =>
  z.string().meta({ description: says, examples: [...examples], 'x-only-examples': true });
/** Any JSON object. */
export const anyObject = (says: string): z.ZodType => z.record(z.string(), z.unknown()).meta({ description: says });

export const indexUid = z
  .string()
  .regex(new RegExp(`^[a-zA-Z0-9_-]{1,${MAX_INDEX_UID_BYTES}}$`))
  .meta({
    description: `Unique name of an index: up to ${MAX_INDEX_UID_BYTES} of the characters a-z, A-Z, 0-9, \`-\` and \`_\`.`,
    examples: ['movies'],
  });

/** A page of a list. */
export const pageOf = (item: z.ZodType): z.ZodObject =>
  z.strictObject({
    results: z.array(item),
    offset: count('Results that were skipped.'),
    limit: count('Results asked for.'),
    total: count('Results in all.'),
  });

import type { Schema } from '@fossick/base/contract';
import { z } from 'zod';
import type { AnySchema } from './schemas/zod-schema.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** Named schemas, which others refer to by `$ref`. */
export class NamedSchemas {
  private readonly found = new Map<string, JsonObject>();

  /** The JSON schema in the document; named schemas within it are collected and referred to. */
  of(schema: AnySchema): JsonObject {
    return schema instanceof z.ZodType ? this.ofZod(schema) : this.ofPlain(schema);
  }

  private ofZod(schema: z.ZodType): JsonObject {
    const {
      $schema: _,
      $defs,
      ...whole
    } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io: 'input',
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        // integers are exact up to 2^53, which is no bound of the API
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        // the default for the names of every object
        if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames;
        delete (jsonSchema as Record<string, unknown>)['x-only-examples'];
        delete (jsonSchema as Record<string, unknown>)['id'];
      },
      // zod types members of a schema as unknown; a JSON schema is JSON
    }) as unknown as Record<string, Json>;
    for (const [name, named] of Object.entries(($defs ?? {}) as JsonObject))
      this.found.set(name, referring(named) as JsonObject);
    return referring(whole) as JsonObject;
  }

  private ofPlain({ id, 'x-only-examples': _, ...schema }: Schema): JsonObject {
    const inner = (part: unknown): Json => this.ofPlain(part as Schema);
    const whole = Object.entries(schema).map(([word, value]): [string, Json] => {
      if (word === 'items' || word === 'propertyNames') return [word, inner(value)];
      if (word === 'additionalProperties' && typeof value === 'object') return [word, inner(value)];
      if (word === 'anyOf') return [word, (value as readonly Schema[]).map(inner)];
      if (word !== 'properties') return [word, value as Json];
      const members = Object.entries(value as Schema).map(([name, member]) => [name, inner(member)]);
      return [word, Object.fromEntries(members) as JsonObject];
    });
    if (typeof id !== 'string') return Object.fromEntries(whole);
    this.found.set(id, Object.fromEntries(whole));
    return { $ref: `#/components/schemas/${id}` };
  }
  /** All named schemas by name. */
  all(): JsonObject {
    return Object.fromEntries([...this.found].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** The same with references to the place of named schemas in OpenAPI. */
function referring(value: Json): Json {
  if (Array.isArray(value)) return value.map(referring);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => [
    name,
    name === '$ref' && typeof member === 'string'
      ? member.replace('#/$defs/', '#/components/schemas/')
      : referring(member),
  ]);
  return Object.fromEntries(members);
}

/**
 * The JSON schema with the named schemas that it refers to in their places, for readers of one schema alone. Some of them take no schema
 * without a type, nor one of several, so any value is spelled out as a choice of all types.
 */
export function inlineSchema(schema: AnySchema): JsonObject {
  const schemas = new NamedSchemas();
  const whole = schemas.of(schema);
  return spelledOut(withNamed(whole, schemas.all()) as JsonObject);
}

const EVERY_TYPE = ['object', 'array', 'string', 'number', 'boolean', 'null'].map((type) => ({ type }));
/** Words that say nothing about which values are right. */
const ANNOTATIONS = new Set(['title', 'description', 'examples', 'default']);
const isAny = (schema: JsonObject): boolean => Object.keys(schema).every((word) => ANNOTATIONS.has(word));

function spelledOut(schema: JsonObject): JsonObject {
  if (isAny(schema)) return { ...schema, anyOf: EVERY_TYPE };
  const inner = (part: Json): Json => spelledOut(part as JsonObject);
  const words = Object.entries(schema).map(([word, value]): [string, Json] => {
    if (word === 'anyOf') return [word, (value as readonly Json[]).map(inner)];
    if (typeof value !== 'object' || value === null) return [word, value];
    if (word === 'additionalProperties' && isAny(value as JsonObject)) return [word, true];
    if (word === 'items' || word === 'additionalProperties') return [word, inner(value)];
    if (word !== 'properties') return [word, value];
    return [word, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))];
  });
  return Object.fromEntries(words);
}

function withNamed(value: Json, named: JsonObject): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withNamed(item, named));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: ref, ...rest } = value as JsonObject;
  const target = typeof ref === 'string' ? named[ref.slice('#/components/schemas/'.length)] : undefined;
  const inner = target === undefined ? {} : (withNamed(target, named) as JsonObject);
  const members = Object.entries(rest).map(([name, member]): [string, Json] => [name, withNamed(member, named)]);
  return { ...inner, ...Object.fromEntries(members) };
}

import { type AnySchema, zodOf } from '@fossick/api/openapi';
import fc from 'fast-check';
import { z } from 'zod';

type Schema = Readonly<Record<string, unknown>>;

/** Random values that a schema accepts. Those of parts with `x-only-examples` are its examples. */
export function valuesOf(schema: AnySchema): fc.Arbitrary<unknown> {
  const zod = zodOf(schema);
  const { $defs, ...whole } = (
    schema instanceof z.ZodType ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : schema
  ) as Schema;
  // refinements are no part of a JSON schema
  return arbitraryOf(whole, ($defs ?? {}) as Readonly<Record<string, Schema>>).filter(
    (value) => zod.safeParse(value).success,
  );
}

function arbitraryOf(schema: Schema, named: Readonly<Record<string, Schema>>): fc.Arbitrary<unknown> {
  const inner = (part: unknown): fc.Arbitrary<unknown> => arbitraryOf(part as Schema, named);
  const { $ref, anyOf, oneOf, type, examples } = schema;
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (schema['x-only-examples'] === true) return fc.constantFrom(...(examples as unknown[]));
  if (typeof $ref === 'string') return inner(named[$ref.replace('#/$defs/', '')]);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(inner));
  if (Array.isArray(oneOf)) return fc.oneof(...oneOf.map(inner));
  if (Array.isArray(type)) return fc.oneof(...type.map((each: unknown) => inner({ ...schema, type: each })));
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: bound(schema['minimum'], -1000), max: Math.min(bound(schema['maximum'], 1000), 1000) });
    case 'number':
      return fc.double({
        min: bound(schema['minimum'] ?? schema['exclusiveMinimum'], -10),
        max: bound(schema['maximum'], 10),
        noNaN: true,
        minExcluded: schema['exclusiveMinimum'] !== undefined,
      });
    case 'string':
      return textOf(schema);
    case 'array':
      return fc.array(inner(schema['items'] ?? {}), {
        minLength: bound(schema['minItems'], 0),
        maxLength: Math.min(bound(schema['maxItems'], 3), 3),
      });
    case 'object':
      return objectOf(schema, inner);
    default:
      return fc.constantFrom<unknown>(1, 'any', { a: [true] });
  }
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  const examples = (schema['examples'] ?? []) as readonly string[];
  const made =
    typeof schema['pattern'] === 'string'
      ? fc.stringMatching(new RegExp(schema['pattern'])).map((text) => text.slice(0, 40))
      : fc.string({
          minLength: bound(schema['minLength'], 0),
          maxLength: Math.min(bound(schema['maxLength'], 12), 12),
        });
  return examples.length === 0 ? made : fc.oneof(made, fc.constantFrom(...examples));
}

function objectOf(schema: Schema, inner: (part: unknown) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const known = fc.record(Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)])), {
    requiredKeys: [...required],
  });
  const others = schema['additionalProperties'];
  if (others === false || others === undefined || Object.keys(properties).length > 0)
    return known.map((value) => ({ ...value }));
  const names = inner({ type: 'string', ...(schema['propertyNames'] as Schema | undefined) });
  return fc
    .dictionary(names.filter((name) => name !== '__proto__') as fc.Arbitrary<string>, inner(others), { maxKeys: 3 })
    .map((value) => ({ ...value }));
}

const bound = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Values of other kinds that replace valid ones. */
const STRANGE: readonly unknown[] = [true, -1, 0.5, 7, 'of another kind', [], ['x'], [3], {}, { stranger: 1 }, null];

/** The value with one random change: another kind of value, a member more or less. */
export function changed(value: unknown, random: () => number): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const isParent = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isParent || random() < 0.15) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && random() < 0.5)
      return { ...value, [`stranger${Math.floor(random() * 9)}`]: pick(STRANGE) };
    return pick(STRANGE);
  }
  const name = pick(Object.keys(value));
  const copy: Record<string, unknown> = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  if (random() < 0.15 && !Array.isArray(value)) delete copy[name];
  else copy[name] = changed(copy[name], random);
  return copy;
}

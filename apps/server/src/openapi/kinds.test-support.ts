import { readFields, readQuery } from '@fossick/api';
import { objectSchema, querySchema, zodOf } from '@fossick/api/openapi';
import type { Fields, Kind } from '@fossick/base/contract';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changed, valuesOf } from './values.test-support.js';

const seed = TEST_SEED;
const RUNS = 120;
/** What a parser knows beyond its schema: rules between members, such as that a template's kind says what `inline` is. */
const BEYOND = /must not be greater than|takes part twice|of kind `|asks for an empty query|`\.inline[`.]/;
const WHERE = { code: 'bad_request', path: '' } as const;

/** What the parser of a kind says against a value; null when it takes it. */
function refusal(parse: (value: unknown, where: typeof WHERE) => unknown, value: unknown): string | null {
  try {
    parse(value, WHERE);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object';
/** The text of a value in a query string. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(',') : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Tables of members, by name, and those of queries. */
export interface Tables {
  readonly tables: Readonly<Record<string, Fields>>;
  readonly queries?: readonly (readonly [name: string, fields: Fields])[];
  /** Kinds of texts in a language that no schema describes, such as filters and dates: only the examples are taken by both. */
  readonly languages?: readonly Kind<unknown>[];
}

/** Registers the tests that say so: a kind of value has its parser and its schema next to each other, and they take the same values. */
export function testKinds({ tables, queries = [], languages = [] }: Tables): void {
  console.log(`kinds of values: seed ${seed}`);
  /** Every kind once, with the first member that has it. */
  const kinds = new Map<Kind<unknown>, string>();
  for (const [table, fields] of Object.entries(tables))
    for (const [name, { kind }] of Object.entries(fields)) if (!kinds.has(kind)) kinds.set(kind, `${table}: ${name}`);
  const isOfLanguage = ({ schema }: Kind<unknown>): boolean => languages.some((kind) => kind.schema === schema);

  describe.each([...kinds].map(([kind, name]) => ({ name, kind })))('the kind of $name', ({ kind }) => {
    const schema = zodOf(kind.schema);
    it('takes what its schema takes, and refuses what its schema refuses', () => {
      const places = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));
      fc.assert(
        fc.property(valuesOf(kind.schema), places, (value, stream) => {
          const why = refusal(kind.parse, value);
          if (why !== null && !BEYOND.test(why)) throw new Error(`${JSON.stringify(value)}: ${why}`);
          if (isOfLanguage(kind)) return;
          const given = changed(value, () => stream.next().value as number);
          const described = schema.safeParse(given).success;
          const reason = refusal(kind.parse, given);
          if (reason !== null && BEYOND.test(reason)) return;
          if (described !== (reason === null))
            throw new Error(`${JSON.stringify(given)}: schema ${described}, parser ${reason ?? 'takes it'}`);
        }),
        { seed, numRuns: RUNS },
      );
    });
  });

  describe.each(queries)('the query of %s', (_name, fields) => {
    it('is taken whenever its schema takes it', () => {
      fc.assert(
        fc.property(valuesOf(querySchema(fields)), (value) => {
          const members = Object.entries(value as Record<string, unknown>)
            // a query has neither null, nor lists of nothing, nor lists of objects
            .filter(
              ([, member]) =>
                member !== null && !(Array.isArray(member) && (member.length === 0 || member.some(isObject))),
            )
            .map(([name, member]) => [name, textOf(member)]);
          const query = new URLSearchParams(members).toString();
          const why = refusal((text) => readQuery(text as string, fields), query);
          if (why !== null) throw new Error(`${query}: ${why}`);
        }),
        { seed, numRuns: RUNS },
      );
    });
    it('is refused when a number, a switch or a word is none', () => {
      const { properties } = querySchema(fields) as { properties: Readonly<Record<string, object>> };
      for (const [name, schema] of Object.entries(properties)) {
        const member = zodOf({ ...schema });
        if (member.safeParse('of another kind').success || member.safeParse(['of another kind']).success) continue;
        const why = refusal((text) => readQuery(text as string, fields), `${name}=of%20another%20kind`);
        expect([name, why === null]).toEqual([name, false]);
      }
    });
  });

  it('an object requires, refuses and allows null as its members say, in its schema and in its check', () => {
    for (const fields of Object.values(tables)) {
      const schema = zodOf(objectSchema(fields));
      const { required = [], properties } = objectSchema(fields) as { required?: string[]; properties: object };
      expect(Object.keys(properties)).toEqual(Object.keys(fields));
      // of the values of a schema, one that no rule between members refuses
      const values = fc.sample(valuesOf(objectSchema(fields)), { seed, numRuns: RUNS }) as Record<string, unknown>[];
      const whole = values.find((value) => refusal((body) => readFields(body, fields), value) === null)!;
      expect(whole).toBeDefined();
      for (const [name, { kind, missing, refusesNull }] of Object.entries(fields)) {
        const { [name]: _, ...without } = whole;
        expect([name, schema.safeParse(without).success]).toEqual([name, missing === undefined]);
        const isNullTaken = (missing === undefined && refusesNull !== true) || refusal(kind.parse, null) === null;
        const withNull = { ...whole, [name]: null };
        expect([name, schema.safeParse(withNull).success]).toEqual([name, isNullTaken]);
        expect([name, refusal((body) => readFields(body, fields), withNull) === null]).toEqual([name, isNullTaken]);
        expect(required.includes(name)).toBe(missing !== undefined);
      }
    }
  });
}

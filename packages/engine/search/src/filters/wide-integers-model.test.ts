import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import { orderedEntries } from '@fossick/documents';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

/*
 * Numbers are texts here. The model holds their exact values times four as bigint: whole numbers of 64 bits count with
 * all digits, all others are floats.
 */
const BASES = [2n ** 53n, 4223372036854775806n, 2n ** 63n, 2n ** 64n - 3n, -(2n ** 53n), -(2n ** 63n) + 3n, 10n ** 18n];
const wide = fc
  .tuple(fc.constantFrom(...BASES), fc.bigInt(-3n, 3n))
  .map(([base, step]) => base + step)
  .filter((integer) => integer >= -(2n ** 63n) && integer < 2n ** 64n)
  .map(String);
const float = fc.constantFrom(
  '0',
  '-0.0',
  '7',
  '7.0',
  '-1.5',
  '12.25',
  '1e18',
  '9007199254740992.0',
  '9.007199254740994e15',
  '-1e19',
  '1e20',
);
const held = fc.oneof({ weight: 4, arbitrary: wide }, { weight: 1, arbitrary: float });
/** What filters may write in addition: bounds between two values, signs, zeros ahead, and integers of more than 64 bits. */
const spelled = fc.oneof(
  { weight: 3, arbitrary: held },
  { weight: 1, arbitrary: wide.filter((text) => !Number.isSafeInteger(Number(text))).map((text) => `${text}.5`) },
  { weight: 1, arbitrary: wide.map((text) => `${text}.000`) },
  { weight: 1, arbitrary: wide.map((text) => (text.startsWith('-') ? text : `+00${text}`)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('18446744073709551616', '-9223372036854775809', '1e300', '100000000000000000000'),
  },
);

const isWide = (whole: bigint): boolean => whole >= -(2n ** 63n) && whole < 2n ** 64n;
const ofFloat = (number: number): bigint => BigInt(number * 4);
function documentValue(text: string): bigint {
  if (/^-?\d+$/.test(text) && isWide(BigInt(text))) return BigInt(text) * 4n;
  return ofFloat(Number(text));
}
function filterValue(text: string): bigint {
  const [, sign, whole, fraction = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || !isWide(BigInt(`${sign === '-' ? '-' : ''}${whole}`))) return ofFloat(Number(text));
  const size = BigInt(whole) * 4n + (fraction.startsWith('5') ? 2n : fraction === '25' ? 1n : 0n);
  return sign === '-' ? -size : size;
}

interface Doc {
  readonly id: number;
  readonly texts: readonly string[] | null;
  readonly isList: boolean;
}
const DOC_BOUND = 40;
const doc = fc
  .tuple(fc.nat(DOC_BOUND - 1), fc.array(held, { minLength: 1, maxLength: 3 }), fc.nat(9))
  .map(
    ([id, texts, luck]): Doc =>
      luck === 0
        ? { id, texts: null, isList: false }
        : luck > 3
          ? { id, texts: texts.slice(0, 1), isList: false }
          : { id, texts, isList: true },
  );
const lineOf = ({ id, texts, isList }: Doc): string => {
  const value = texts === null ? '' : `,"a":{"n":${isList ? `[${texts.join(',')}]` : texts[0]!}}`;
  return `{"id":${id}${value}}`;
};
const valuesOf = ({ texts }: Doc): bigint[] => (texts ?? []).map(documentValue);

const OPERATORS: Readonly<Record<string, (value: bigint, wanted: bigint) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '<': (value, wanted) => value < wanted,
  '<=': (value, wanted) => value <= wanted,
  '>': (value, wanted) => value > wanted,
  '>=': (value, wanted) => value >= wanted,
};
type Question = readonly [filter: string, matches: (values: readonly bigint[]) => boolean];
const question: fc.Arbitrary<Question> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...Object.keys(OPERATORS)), spelled)
    .map(
      ([operator, text]): Question => [
        `a.n ${operator} "${text}"`,
        (values) => values.some((value) => OPERATORS[operator]!(value, filterValue(text))),
      ],
    ),
  spelled.map((text): Question => [`a.n != "${text}"`, (values) => !values.includes(filterValue(text))]),
  fc
    .tuple(spelled, spelled)
    .map(
      ([from, to]): Question => [
        `a.n "${from}" TO "${to}"`,
        (values) => values.some((value) => value >= filterValue(from) && value <= filterValue(to)),
      ],
    ),
  fc.array(spelled, { maxLength: 60 }).map((texts): Question => {
    const wanted = new Set(texts.map(filterValue));
    return [
      `a.n IN [${texts.map((text) => `"${text}"`).join()}]`,
      (values) => values.some((value) => wanted.has(value)),
    ];
  }),
);
const combined: fc.Arbitrary<Question> = fc.oneof(
  { weight: 3, arbitrary: question },
  { weight: 1, arbitrary: question.map(([filter, test]): Question => [`NOT ${filter}`, (values) => !test(values)]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(question, question)
      .map(
        ([left, right]): Question => [
          `(${left[0]}) OR NOT (${right[0]})`,
          (values) => left[1](values) || !right[1](values),
        ],
      ),
  },
);

/** All digits of a value. */
function shown(value: bigint): string {
  if (value % 4n === 0n) return String(value / 4n);
  return String(Number(value) / 4);
}

function check(index: ScratchIndex, docs: readonly Doc[], questions: readonly Question[]): void {
  for (const [filter, matches] of questions) {
    const found = index.idsOf({ filter, limit: 2 * DOC_BOUND });
    const expected = docs.filter((one) => matches(valuesOf(one))).map(({ id }) => id);
    expect([filter, found]).toEqual([filter, expected]);
  }
  for (const sign of [1, -1]) {
    const firstOf = (one: Doc): bigint | undefined => {
      const sorted = valuesOf(one).sort((a, b) => (a < b ? -sign : a > b ? sign : 0));
      return sorted[0];
    };
    const expected = docs
      .map((one, at) => ({ id: one.id, at, first: firstOf(one) }))
      .sort((a, b) => {
        if (a.first === undefined || b.first === undefined)
          return Number(a.first === undefined) - Number(b.first === undefined) || a.at - b.at;
        return a.first === b.first ? a.at - b.at : a.first < b.first ? -sign : sign;
      });
    const sort = [`a.n:${sign === 1 ? 'asc' : 'desc'}`];
    expect(index.idsOf({ sort, limit: 2 * DOC_BOUND })).toEqual(expected.map(({ id }) => id));
    const few = docs.slice(0, 2).map(({ id }) => id);
    const ofFew = expected.filter(({ id }) => few.includes(id)).map(({ id }) => id);
    expect(index.idsOf({ sort, filter: `id IN [${few.join()}]` })).toEqual(ofFew);
  }
  const met = new Set<bigint>();
  const distinct = docs.filter((one) => {
    const values = valuesOf(one);
    if (values.some((value) => met.has(value))) return false;
    for (const value of values) met.add(value);
    return true;
  });
  expect(index.idsOf({ distinct: 'a.n', limit: 2 * DOC_BOUND })).toEqual(distinct.map(({ id }) => id));
  expect(index.search({ distinct: 'a.n', limit: 1, page: 1, hitsPerPage: 2 })).toMatchObject({
    totalHits: distinct.length,
  });
  const counts = new Map<bigint, number>();
  for (const one of docs) for (const value of new Set(valuesOf(one))) counts.set(value, (counts.get(value) ?? 0) + 1);
  const ascending = [...counts.keys()].sort((a, b) => (a < b ? -1 : 1));
  for (const filter of [null, 'id >= 0']) {
    const { facetDistribution, facetStats } = index.search({ facets: ['a.n'], filter, limit: 0 });
    const found = orderedEntries(facetDistribution!['a.n'] ?? {});
    expect(new Map(found)).toEqual(new Map([...counts].map(([value, count]) => [shown(value), count])));
    const { min, max } = facetStats!['a.n'] ?? {};
    const [least, greatest] = [ascending[0], ascending.at(-1)];
    expect([min, max].map(String)).toEqual(
      [least, greatest].map((value) => (value === undefined ? 'undefined' : shown(value))),
    );
  }
}

test('every operation on integers beyond 2^53 is that of exact arithmetic, in any segments', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(doc, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 4 }),
      fc.array(combined, { minLength: 20, maxLength: 20 }),
      fc.constantFrom('alpha', 'count'),
      async (more, questions, order) => {
        // `!=` matches nothing where the field never occurred
        const batches: Doc[][] = [[{ id: DOC_BOUND, texts: ['7'], isList: false }], ...more];
        const index = await openScratchIndex([], {
          filterableAttributes: ['a.n', 'id'],
          sortableAttributes: ['a.n'],
          faceting: { maxValuesPerFacet: 1000, sortFacetValuesBy: { '*': order } },
        });
        try {
          for (const batch of batches) await index.add(batch.map(lineOf));
          const found = new Map<number, Doc>();
          for (const batch of batches) for (const one of batch) found.set(one.id, one);
          const docs = [...found.values()];
          // what is asked a few times is answered from tables that were made meanwhile
          for (let times = 0; times < 3; times++) check(index, docs, questions);
          await index.merge();
          check(index, docs, questions);
        } finally {
          await index.close();
        }
      },
    ),
    { numRuns: runsOf(30), seed: TEST_SEED },
  );
}, 120_000);

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MAX_TASK_ERRORS } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { type PayloadItem, payloadItems } from '@fossick/documents/document-errors';
import { payloadLines } from '@fossick/documents/payloads';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type PayloadFormat, storePayload } from './store-payload.js';

const seed = TEST_SEED;

const folder = mkdtempSync(join(tmpdir(), 'skipped-'));
afterAll(() => rmSync(folder, { recursive: true }));
let fileCount = 0;

interface Stored {
  readonly count: number;
  readonly file: string;
  /** Documents by their place, and places that were refused. */
  readonly documents: ReadonlyMap<number, unknown>;
  readonly refused: readonly number[];
  readonly more: number;
}

async function stored(
  text: string | Buffer,
  chunkBytes: number,
  format: PayloadFormat,
  hasMarks = false,
): Promise<Stored> {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes));
  const file = join(folder, `${fileCount++}`);
  const body = Readable.from(chunks, { objectMode: true });
  const { count, bytes: fileBytes } = await storePayload(body, format, file, { skipsFaulty: true, hasMarks });
  expect(statSync(file).size).toBe(fileBytes);
  return { count, file, ...read(payloadItems(payloadLines(file))) };
}

function read(items: Iterable<PayloadItem>): Omit<Stored, 'count' | 'file'> {
  const documents = new Map<number, unknown>();
  const refused: number[] = [];
  let more = 0;
  for (const item of items) {
    if (item.kind === 'document') documents.set(item.place, JSON.parse(item.line));
    else if (item.kind === 'refused') refused.push(item.place);
    else if (item.kind === 'more') more += item.count;
  }
  return { documents, refused, more };
}

/** Whether a text alone is one JSON object: the slow and obvious model of what is kept. */
function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()).map((value) => JSON.stringify(value));
const longObject = fc.integer({ min: 250_000, max: 300_000 }).map((length) => `{"text":"${'x'.repeat(length)}"}`);
const faulty = fc.constantFrom(
  '3',
  '"a"',
  'null',
  '[1]',
  '[]',
  '{"a":',
  '{a:1}',
  '{}}',
  '{"id":1},',
  '{}{}',
  'x{}',
  '\\',
);
const longFaulty = fc.integer({ min: 250_000, max: 300_000 }).map((length) => `{"text":"${'x'.repeat(length)}"`);
const chunkSize = fc.constantFrom(1_000, 65_536, 70_001, 10_000_000);
const line = fc.oneof(
  { weight: 10, arbitrary: object },
  { weight: 6, arbitrary: faulty },
  { weight: 2, arbitrary: fc.constantFrom('', '  ', '\t') },
  { weight: 1, arbitrary: longObject },
  { weight: 1, arbitrary: longFaulty },
);

describe(`NDJSON (seed ${seed})`, () => {
  test('keeps exactly the lines that are objects, at their places, whatever the chunks are', async () => {
    const small = fc.tuple(
      fc.array(fc.oneof(object, faulty, fc.constant('')), { maxLength: 30 }),
      fc.integer({ min: 1, max: 40 }),
    );
    const large = fc.tuple(fc.array(line, { maxLength: 12 }), chunkSize);
    const spelling = fc.tuple(fc.constantFrom('\n', '\r\n', ' \n'), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.oneof(small, large), spelling, async ([lines, chunkBytes], [separator, isEnded]) => {
        const text = lines.join(separator) + (isEnded ? separator : ' ');
        const { documents, refused, count } = await stored(text, chunkBytes, { kind: 'ndjson' });
        const given = lines.map((each, at) => [at + 1, each.trim()] as const).filter(([, each]) => each !== '');
        const kept = given.filter(([, each]) => objectOf(each) !== undefined);
        expect(documents).toEqual(new Map(kept.map(([place, each]) => [place, JSON.parse(each)])));
        expect(refused).toEqual(given.filter(([, each]) => objectOf(each) === undefined).map(([place]) => place));
        expect(count).toBe(given.length);
      }),
      { seed, numRuns: 80 },
    );
  });

  test('refuses lines that JSON.parse takes but documents cannot have', async () => {
    const deep = `{"a":${'['.repeat(600)}${']'.repeat(600)}}`;
    const text = Buffer.concat([
      Buffer.from(`{"a":"\\ud800"}\n${deep}\n{"b":"`),
      Buffer.from([0xff]),
      Buffer.from('"}\n{"id":1}\n'),
    ]);
    const { documents, refused } = await stored(text, 7, { kind: 'ndjson' });
    expect([refused, [...documents]]).toEqual([[1, 2, 3], [[4, { id: 1 }]]]);
  });

  test('a stored payload is read again with its marks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), chunkSize, async (lines, chunkBytes) => {
        const first = await stored(`${lines.join('\n')}\n `, chunkBytes, { kind: 'ndjson' });
        fc.pre(statSync(first.file).size > 0);
        const again = await stored(readFileSync(first.file), chunkBytes, { kind: 'ndjson' }, true);
        expect(readFileSync(again.file).equals(readFileSync(first.file))).toBe(true);
        expect(again.count).toBe(first.count);
      }),
      { seed, numRuns: 30 },
    );
  });

  test('a long line that is refused after an empty one leaves no mark of its place', async () => {
    const { file, refused } = await stored(`\n{"text":"${'x'.repeat(270_000)}"\n3\n`, 1_000, { kind: 'ndjson' });
    expect(refused).toEqual([2, 3]);
    expect(readFileSync(file, 'utf8').match(/\n/g)).toHaveLength(2);
  });

  test('a client cannot write marks itself', async () => {
    const { documents, refused } = await stored('[7]\n{"id":1}\n[0,5]\n[3,"internal","x"]\n', 9, { kind: 'ndjson' });
    expect([[...documents.keys()], refused]).toEqual([[2], [1, 3, 4]]);
  });

  test('lists as many faults as a task keeps, counts the others, and still knows the places of documents', async () => {
    const lines = Array.from({ length: MAX_TASK_ERRORS + 50 }, (_, at) =>
      at === MAX_TASK_ERRORS + 20 ? '{"id":1}' : '3',
    );
    const { documents, refused, more, count, file } = await stored(lines.join('\n'), 65_536, { kind: 'ndjson' });
    expect([...documents.keys()]).toEqual([MAX_TASK_ERRORS + 21]);
    expect([refused.length + more, count]).toEqual([MAX_TASK_ERRORS + 49, MAX_TASK_ERRORS + 50]);
    expect(refused.length).toBeGreaterThan(0);
    expect(statSync(file).size).toBeLessThan(20 * 2 ** 20);
  });
});

describe(`a JSON array (seed ${seed})`, () => {
  const element = fc.oneof(
    { weight: 8, arbitrary: object },
    { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: longObject },
    { weight: 1, arbitrary: fc.integer({ min: 250_000, max: 300_000 }).map((length) => `"${'x'.repeat(length)}\\""`) },
    { weight: 1, arbitrary: fc.constantFrom('{a:1}', '{"a" 1}', '[1,]', '{"a":"\\ud800"}', 'nope') },
  );

  test('keeps exactly the elements that are objects, at their positions, whatever the chunks are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(element, { maxLength: 12 }),
        fc.oneof(fc.integer({ min: 1_000, max: 9_000 }), chunkSize),
        fc.constantFrom(',', ' , ', ',\n'),
        async (elements, chunkBytes, comma) => {
          const { documents, refused, count } = await stored(`[ ${elements.join(comma)} ]`, chunkBytes, {
            kind: 'json',
          });
          const isKept = (text: string): boolean => objectOf(text) !== undefined && !text.includes('\\ud800"');
          const places = elements.map((text, at) => [at + 1, text] as const);
          expect(documents).toEqual(
            new Map(places.filter(([, text]) => isKept(text)).map(([place, text]) => [place, JSON.parse(text)])),
          );
          expect(refused).toEqual(places.filter(([, text]) => !isKept(text)).map(([place]) => place));
          expect(count).toBe(elements.length);
        },
      ),
      { seed, numRuns: 80 },
    );
  });

  test.each([
    '[{"id":1}',
    '[{"id":1},]',
    '[{"id":1} {"id":2}]',
    '[{"id":1}]x',
    '[,{}]',
    '3',
    '"a"',
    '[{"id":1},"a]',
    `[${'1'.repeat(9_000)}`,
  ])('that is not whole is refused as a whole: %s', async (text) => {
    for (const size of [1, 7, 100_000])
      await expect(stored(text, size, { kind: 'json' })).rejects.toMatchObject({ code: 'malformed_payload' });
  });
});

test('CSV keeps the rows with as many cells as the header and values of its types', async () => {
  const rows = ['id,price:number', '1,2.5', '2', '3,x', '4,5,6', '', '5,"7"', '"a,b",1'];
  for (const size of [1, 5, 1_000]) {
    const { documents, refused, count } = await stored(rows.join('\n'), size, { kind: 'csv', delimiter: ',' });
    expect([...documents]).toEqual([
      [2, { id: '1', price: 2.5 }],
      [6, { id: '5', price: 7 }],
      [7, { id: 'a,b', price: 1 }],
    ]);
    expect([refused, count]).toEqual([[3, 4, 5], 6]);
  }
});

test('a body of nothing is no payload', async () => {
  for (const kind of ['json', 'ndjson'] as const)
    await expect(stored('', 1, { kind })).rejects.toMatchObject({ code: expect.stringMatching(/payload/) });
});

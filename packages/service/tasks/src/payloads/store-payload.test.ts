import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { storePayload } from './store-payload.js';

const folder = mkdtempSync(join(tmpdir(), 'payload-'));
afterAll(() => rmSync(folder, { recursive: true }));
let fileCount = 0;

/** Count and lines of what is stored of a body that comes in chunks of this many bytes. */
async function stored(text: string | Buffer, chunkBytes: number, kind: 'json' | 'ndjson' = 'ndjson') {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes));
  const file = join(folder, `${fileCount++}`);
  const body = Readable.from(chunks, { objectMode: true });
  const { count, bytes: fileBytes } = await storePayload(body, { kind }, file);
  expect(statSync(file).size).toBe(fileBytes);
  return { count, lines: readFileSync(file, 'utf8').split('\n').slice(0, -1) };
}
const SIZES = [1, 3, 7, 16, 1_000];

describe('NDJSON', () => {
  test('is stored line by line whatever its spelling and chunks are', async () => {
    const values = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), {
      minLength: 1,
      maxLength: 6,
    });
    const spelling = fc.tuple(fc.constantFrom('\n', '\r\n', '\n\n', ' \n ', ' '), fc.constantFrom(0, 1), fc.boolean());
    await fc.assert(
      fc.asyncProperty(values, spelling, fc.integer({ min: 1, max: 40 }), async (objects, spelt, chunkBytes) => {
        const [separator, indent, isEnded] = spelt;
        const texts = objects.map((object) => JSON.stringify(object, null, indent));
        const { count, lines } = await stored(texts.join(separator) + (isEnded ? separator : ''), chunkBytes);
        expect(count).toBe(objects.length);
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(JSON.parse(JSON.stringify(objects)));
      }),
      { numRuns: 60 },
    );
  });

  test('keeps numbers as they are spelt', async () => {
    const line = '{"id":12345678901234567890,"x":1.50}';
    expect((await stored(`${line}\n${line}\n`, 9)).lines).toEqual([line, line]);
  });

  test.each([
    ['two objects joined by a comma', '{"id":1},{"id":2}\n'],
    ['an array cut by a line break', '{"id":[1\n2]},{}\n'],
    ['a value that is no object', '{"id":1}\n3\n'],
    ['an array of objects', '[{"id":1}]\n'],
    ['an object that does not end', '{"id":1}\n{"id":2\n'],
    ['a byte outside a string that is no JSON', '{"id":1\u00a0}\n'],
    ['braces without a name', '{{}}\n'],
    ['a brace too many', '{"id":1}}\n'],
  ])('refuses %s', async (_name, text) => {
    for (const size of SIZES) await expect(stored(text, size)).rejects.toMatchObject({ code: 'malformed_payload' });
  });

  test('refuses bytes that are not UTF-8, naming the document', async () => {
    const text = Buffer.concat([Buffer.from('{"id":1}\n{"id":"'), Buffer.of(0xff), Buffer.from('"}\n')]);
    for (const size of SIZES)
      await expect(stored(text, size)).rejects.toThrow('Document 2 of the payload is malformed: it is not valid UTF-8');
  });

  test('reports the number of an invalid line after valid ones', async () => {
    for (const size of SIZES) {
      await expect(stored('{"id":1}\n{"id":2}\n{"é":,}\n', size)).rejects.toThrow(/^Document 3 .*"é"/u);
      await expect(stored('{"id":1}\n{"id":2}\nx', size)).rejects.toThrow('byte 18 starts `x`');
    }
  });
});

describe('a document that cannot be stored as sent', () => {
  const nested = (levels: number, inner = '1') => `{"id":${'['.repeat(levels - 1)}${inner}${']'.repeat(levels - 1)}}`;

  test.each(['json', 'ndjson'] as const)('is refused when it is nested too deeply, as %s', async (kind) => {
    expect((await stored(`${nested(127)}\n`, 50, kind)).lines).toEqual([nested(127)]);
    expect((await stored(`{"id":"${'['.repeat(500)}"}\n`, 50, kind)).count).toBe(1);
    for (const [text, chunkBytes] of [
      [nested(128), 40],
      [nested(100_000), 4096],
      [nested(128, '"\\"]"'), 1000],
      [`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`, 1000],
    ] as const)
      await expect(stored(`${text}\n`, chunkBytes, kind)).rejects.toThrow('it is nested more than 127 levels deep');
  });

  test.each(['json', 'ndjson'] as const)('is refused when it holds half of a character, as %s', async (kind) => {
    for (const text of ['{"id":"\\ud800"}', '{"\\uDFFF":1}', '{"a":[{"b":"\\udc00\\ud800"}]}'])
      await expect(stored(`${text}\n`, 9, kind)).rejects.toThrow('half of a surrogate pair');
    const whole = '{"id":"\\ud83d\\ude00","b":"\\\\ud800"}';
    expect((await stored(`${whole}\n`, 9, kind)).lines).toEqual([whole]);
  });
});

test('a JSON array comes to its lines too', async () => {
  const { count, lines } = await stored('[{"a":"\\"}\\\\"},\n{"b":\n[{}]}]', 4, 'json');
  expect([count, lines]).toEqual([2, ['{"a":"\\"}\\\\"}', '{"b": [{}]}']]);
});

describe('an object of many bytes', () => {
  const long = {
    id: 1,
    text: 'é "quoted" \n'.repeat(60_000),
    list: Array.from({ length: 40_000 }, (_, n) => ({ n, half: n / 2, none: null, is: n % 2 === 0 })),
  };
  const pretty = JSON.stringify(long, null, 1);

  test.each(['json', 'ndjson'] as const)('is stored as it came, on one line, among short ones: %s', async (kind) => {
    expect(pretty.length).toBeGreaterThan(3_000_000);
    const short = '{"id":2}';
    for (const size of [65_536, 999_983, 100_000_000]) {
      const text =
        kind === 'json'
          ? `[${short},${pretty},${pretty},${short}]`
          : `${short}\n${pretty}\n${JSON.stringify(long)}\n${short}`;
      const { count, lines } = await stored(text, size, kind);
      expect([count, lines.length, lines[0], lines[3]]).toEqual([4, 4, short, short]);
      expect(lines[1] === pretty.replaceAll('\n', ' ')).toBe(true);
      expect(JSON.stringify(JSON.parse(lines[2]!)) === JSON.stringify(long)).toBe(true);
    }
  });

  test.each([
    ['a name without a value', pretty.replace('"n": 39999,', '"n",')],
    ['half of a pair', pretty.replace('"n": 39998,', '"n": "\\ud800",')],
    ['an end in the middle', pretty.slice(0, -3)],
    ['a depth that is not allowed', pretty.replace('"n": 39999,', `"n": ${'['.repeat(200)}${']'.repeat(200)},`)],
  ])('is refused with %s near its end', async (_what, text) => {
    await expect(stored(`[{"id":2},${text}]`, 65_536, 'json')).rejects.toMatchObject({
      code: 'malformed_payload',
      message: expect.stringMatching(/Document 2|ends in the middle/),
    });
    await expect(stored(text, 65_536, 'ndjson')).rejects.toMatchObject({ code: 'malformed_payload' });
  });

  test('is not held in memory', async () => {
    const held: number[] = [];
    const chunks = Buffer.from(pretty);
    const body = Readable.from(
      (function* () {
        for (let at = 0; at < chunks.length; at += 65_536) yield chunks.subarray(at, at + 65_536);
      })(),
      { objectMode: true },
    );
    const reservation = {
      set: (bytes: number) => void held.push(bytes),
      grow: () => undefined,
      release: () => undefined,
    };
    await storePayload(body, { kind: 'json' }, join(folder, `${fileCount++}`), { reservation });
    expect(Math.max(...held)).toBeLessThan(400_000);
  });
});

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsInFile, idText, isArrayText, storeIds } from './id-file.js';

describe('ids of a file', () => {
  let folder: string;
  let fileCount = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fossick-ids-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What is stored of a text, or the code of its error; no file is left then. */
  async function stored(text: string | Buffer): Promise<readonly string[] | string> {
    const payloadFile = join(folder, `${fileCount++}.ndjson`);
    try {
      const { count, bytes } = await storeIds(Buffer.from(text), payloadFile, async () => undefined);
      const ids = [...idsInFile({ by: 'idFile', payloadFile, payloadBytes: bytes, idCount: count })];
      expect(ids.length).toBe(count);
      return ids;
    } catch (error) {
      expect(existsSync(payloadFile)).toBe(false);
      return (error as { readonly code: string }).code;
    }
  }

  it('are those that JSON.parse reads, for any list', async () => {
    const item = fc.oneof(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      fc.constantFrom('a"b\\', '],[', '{', '\\"', 'ü'.repeat(300)),
      fc.integer(),
      fc.double(),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const list = fc.tuple(fc.array(item, { maxLength: 30 }), fc.nat(9_000), fc.constantFrom('', ' ', '\n\t'));
    await fc.assert(
      fc.asyncProperty(list, async ([items, repeats, blank]) => {
        const all = Array.from({ length: items.length === 0 ? 0 : repeats }, (_, i) => items[i % items.length]);
        const text = `${blank}[${blank}${all.map((one) => JSON.stringify(one)).join(`${blank},${blank}`)}${blank}]${blank}`;
        expect(await stored(text)).toEqual((JSON.parse(text) as unknown[]).map(idText));
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  const long = '"x",'.repeat(50_000);
  it.each([
    ['a comma at the end', `[${long}]`],
    ['two commas', `[${long},"x"]`],
    ['a comma at the beginning', '[,1]'],
    ['only a comma', '[,]'],
    ['no end', `[${long}"x"`],
    ['an open string', `[${long}"x]`],
    ['more after its end', `[${long}1] 1`],
    ['a second list', `[${long}1][1]`],
    ['a wrong item', `[${long}nul]`],
    ['a wrong bracket', `[${long}{]}]`],
    ['half of a surrogate pair', `[${long}"\\ud800"]`],
    ['no UTF-8', Buffer.concat([Buffer.from(`[${long}"`), Buffer.from([0xff]), Buffer.from('"]')])],
    ['an item that is nested too deep', `[${long}${'['.repeat(127)}${']'.repeat(127)}]`],
    ['a long item that is nested too deep', `[${'['.repeat(127)}"${'x'.repeat(300_000)}"${']'.repeat(127)}]`],
    ['a long wrong item', `["${'x'.repeat(300_000)}\n"]`],
    ['a long item without a comma after it', `["${'x'.repeat(300_000)}" 1]`],
  ])('with %s are refused', async (_name, text) => {
    expect(await stored(text)).toBe('malformed_payload');
  });

  it('too long for any document stand for none', async () => {
    const [name, object] = [`"${'long'.repeat(200_000)}"`, `{"a":[${'1,'.repeat(200_000)}1]}`];
    expect(await stored(`[1,${name},"a",${object}, 2]`)).toEqual(['1', '', 'a', '', '2']);
  });

  it('yield between pieces, also within a long item', async () => {
    let breathCount = 0;
    const yieldTurn = async (): Promise<void> => {
      breathCount += 1;
    };
    await storeIds(Buffer.from(`[1,"${'long'.repeat(1_000_000)}"]`), join(folder, 'turns'), yieldTurn);
    expect(breathCount).toBeGreaterThan(100);
  });

  it('are looked for in arrays only', () => {
    expect(['[', ' \n[1]', '{}', '', ' ', '"["'].map((text) => isArrayText(Buffer.from(text)))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { fetchOrRead } from './fetch-or-read.js';

const folder = mkdtempSync(join(tmpdir(), 'fossick-read-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'a b#ü.bin');
writeFileSync(file, 'the bytes');

test.each([
  ['an address', pathToFileURL(file)],
  ['a text', pathToFileURL(file).href],
])('%s of a file is read', async (_, address) => {
  const answer = await fetchOrRead(address, { cache: 'no-cache' });
  expect([answer.status, await answer.text()]).toEqual([200, 'the bytes']);
});

test('a file that is missing is named', async () => {
  await expect(fetchOrRead(pathToFileURL(join(folder, 'gone.wasm')))).rejects.toThrow(/gone\.wasm/);
});

test.each([
  ['data', 'data:text/plain,hello', 'hello'],
  ['a Request', new Request('data:text/plain,hello'), 'hello'],
])('everything else is fetched: %s', async (_, address, text) => {
  expect(await (await fetchOrRead(address)).text()).toBe(text);
});

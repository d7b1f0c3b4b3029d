import { afterEach, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

let index: ScratchIndex | undefined;
afterEach(async () => {
  await index?.close();
  index = undefined;
});
const kept = (): { readonly hits: number; readonly terms: number } =>
  index!.inView(({ memory }) => ({
    hits: memory.bytesByKind.get('hits') ?? 0,
    terms: memory.bytesByKind.get('terms') ?? 0,
  }));

test('memory of a view is freed with the next commit, and small for few hits', async () => {
  const documents = Array.from({ length: 50 }, (_, id) => ({ id, text: `word${id} common` }));
  index = await openScratchIndex(documents);
  for (let id = 0; id < 50; id++) index.searchText({ q: `word${id}` });
  const first = kept();
  // two bytes of room for each of the hits' own at most, in pieces from 4 KiB on
  expect(first.hits).toBeGreaterThan(0);
  expect(first.hits).toBeLessThanOrEqual(8_192);
  for (let id = 0; id < 10; id++) {
    await index.add([{ id, text: `another${id} common` }]);
    const { hits } = JSON.parse(index.searchText({ q: `another${id}` })) as { hits: readonly unknown[] };
    expect(hits[0]).toEqual({ id, text: `another${id} common` });
  }
  const last = kept();
  expect(last.hits).toBeLessThanOrEqual(4_096);
  expect(last.terms).toBeLessThan(first.terms + 10 * 500);
});

test('hits of all sizes come back as they are, those of earlier pieces too', async () => {
  const lengths = [1, 100, 3_000, 5_000, 70_000, 300_000, 20_000, 150_000];
  const documents = lengths.map((length, id) => ({ id, word: `w${id}`, text: 'x'.repeat(length) }));
  index = await openScratchIndex(documents, { searchableAttributes: ['word'] });
  for (let round = 0; round < 3; round++)
    for (const document of documents) {
      const { hits } = JSON.parse(index.searchText({ q: document.word })) as { hits: readonly unknown[] };
      expect(hits).toEqual([document]);
    }
});

import { afterEach, expect, it } from 'vitest';
import { openScratchIndex, type ScratchIndex } from './scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index?.close());

it('of too many values, the first in byte order stand for the word', async () => {
  const words = Array.from({ length: 70 }, (_, id) => `word${String(id).padStart(2, '0')}`);
  const settings = { synonyms: { every: [...words].reverse() } };
  index = await openScratchIndex(
    words.map((title, id) => ({ id, title })),
    settings,
  );
  expect(index.idsOf({ q: 'every', limit: 100 })).toEqual(Array.from({ length: 50 }, (_, id) => id));
});

it('of two values that begin alike, the first in byte order marks a text', async () => {
  index = await openScratchIndex([{ id: 0, title: 'red fox red' }], { synonyms: { animal: ['red fox', 'red'] } });
  const [hit] = index.search({ q: 'animal', attributesToHighlight: ['title'] }).hits;
  expect(hit).toMatchObject({ _formatted: { title: '<em>red</em> fox <em>red</em>' } });
});

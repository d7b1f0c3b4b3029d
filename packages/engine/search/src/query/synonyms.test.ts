import { afterEach, expect, it } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

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

it('of two values that begin alike, the longest that a text has is marked', async () => {
  index = await openScratchIndex([{ id: 0, title: 'red fox red' }], { synonyms: { animal: ['red fox', 'red'] } });
  const [hit] = index.search({ q: 'animal', attributesToHighlight: ['title'] }).hits;
  expect(hit).toMatchObject({ _formatted: { title: '<em>red fox</em> <em>red</em>' } });
});

it('stays with the exact word for the rules after exactness', async () => {
  const documents = [
    { id: 0, title: 'wooden sofa a b c d couch' },
    { id: 1, title: 'wooden a b sofa c couch' },
  ];
  const rankingRules = ['words', 'exactness', 'proximity', 'wordPosition'];
  index = await openScratchIndex(documents, { rankingRules, synonyms: { couch: ['sofa'] } });
  const { hits } = index.search({ q: 'wooden couch ', showRankingScoreDetails: true });
  const near = hits.map(({ id, _rankingScoreDetails: details }) => [
    id,
    (details as { proximity: { score: number } }).proximity.score,
  ]);
  expect(near).toEqual([
    [0, 1],
    [1, 0.5],
  ]);
});

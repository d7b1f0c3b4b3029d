import { orderedEntries, orderedRecord, toJsonText } from '@fossick/documents';
import { expect, test } from 'vitest';

import { losslessAnswer } from './lossless-answer.js';

const textOf = (answer: object): string => toJsonText(losslessAnswer(answer));

test('scores and what rules measured are floats, counts are whole numbers', () => {
  const details = {
    words: { order: 0, matchingWords: 1, maxMatchingWords: 1, score: 1 },
    'price:asc': { order: 1, value: 49 },
    'name:asc': { order: 2, value: 'a' },
    '_geoPoint(1, 2):asc': { order: 3, value: { lat: 1.5, lng: 2 }, distance: null },
  };
  expect(textOf({ hits: [{ id: 1, n: 2, _rankingScore: 1, _rankingScoreDetails: details }] })).toBe(
    '{"hits":[{"id":1,"n":2,"_rankingScore":1.0,"_rankingScoreDetails":{' +
      '"words":{"order":0,"matchingWords":1,"maxMatchingWords":1,"score":1.0},"price:asc":{"order":1,"value":49.0},' +
      '"name:asc":{"order":2,"value":"a"},"_geoPoint(1, 2):asc":{"order":3,"value":{"lat":1.5,"lng":2.0},"distance":null}}}]}',
  );
  expect(textOf({ hits: [{ _federation: { queriesPosition: 0, weightedRankingScore: 0 } }] })).toBe(
    '{"hits":[{"_federation":{"queriesPosition":0,"weightedRankingScore":0.0}}]}',
  );
});

test('facet values keep their order, however they are spelled', () => {
  const counts = orderedRecord([
    ['1990', 3],
    ['a "b" %', 2],
    ['7', 2],
    ['1990', 1],
  ]);
  expect(orderedEntries(counts)).toEqual([
    ['1990', 1],
    ['a "b" %', 2],
    ['7', 2],
  ]);
  const facets = { facetDistribution: { year: counts }, facetStats: { year: { min: 7, max: 1990 } } };
  const text = '{"year":{"1990":1,"a \\"b\\" %":2,"7":2}}';
  expect(textOf(facets)).toBe(`{"facetDistribution":${text},"facetStats":{"year":{"min":7.0,"max":1990.0}}}`);
  const byIndex = {
    facetsByIndex: { films: { distribution: { year: counts }, stats: { year: { min: 0.5, max: 1 } } } },
  };
  expect(textOf(byIndex)).toBe(
    `{"facetsByIndex":{"films":{"distribution":${text},"stats":{"year":{"min":0.5,"max":1.0}}}}}`,
  );
});

test('an answer without any of it is as it was', () => {
  const answer = { hits: [{ id: 1 }], query: '', limit: 20 };
  expect(losslessAnswer(answer)).toEqual(answer);
});

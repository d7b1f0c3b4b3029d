import { toJsonText } from '@fossick/documents';
import { describe, expect, it } from 'vitest';

import { answerJson, bounded } from './answer-bytes.js';
import { losslessAnswer } from './lossless-answer.js';

const CODE = 'invalid_search_limit';

describe('answers made piece by piece', () => {
  it('are what they are as one text', () => {
    const score = { _rankingScore: 1, _federation: { indexUid: 'a', queriesPosition: 0, weightedRankingScore: 1 } };
    const hits = [{ id: 1, n: 2 }, { title: 'é "x"', ...score }, {}];
    for (const answer of [{ hits, query: 'é', limit: 20 }, { hits: [], total: 0 }, { hits: [{}] }, { hits: [] }])
      expect(answerJson(answer, CODE).toString()).toBe(toJsonText(losslessAnswer(answer)));
  });

  it('are refused when they hold more than they may, before the rest is made', () => {
    const refusal = expect.objectContaining({ code: CODE, message: expect.stringContaining('larger than 256 MiB') });
    const hits = Array.from({ length: 50 }, (_, id) => ({ id, text: 'x'.repeat(100) }));
    expect(() => answerJson({ hits }, CODE, 5_000)).toThrow(refusal);
    expect(answerJson({ hits }, CODE, 10_000).length).toBeLessThan(10_000);
    let made = 0;
    const make = (): Buffer => {
      made += 1;
      return Buffer.alloc(99);
    };
    expect(() => hits.map(bounded(make, CODE, 1_000))).toThrow(refusal);
    expect(made).toBe(11);
  });
});

import { withAnswerRoom } from '@fossick/base/answer-room';
import { toJsonText } from '@fossick/documents';
import { describe, expect, it } from 'vitest';

import { AnswerWriter, answerJson, bounded } from './answer-bytes.js';
import { losslessAnswer } from './lossless-answer.js';

const CODE = 'invalid_search_limit';

describe('answers made piece by piece', () => {
  it.each([
    [60, 10_000],
    [1, 500_000],
    [1_000, 300],
    [20, 70_000],
    [7, 1],
  ])('are there once: %i hits of %i bytes', (count, size) => {
    const writer = new AnswerWriter(count);
    for (let at = 0; at < count; at++) writer.add(at % 2 === 0 ? 'x'.repeat(size) : Buffer.alloc(size, 'y'));
    const answer = writer.end(']}');
    expect(answer.length).toBe(11 + count * size + count - 1);
    // a buffer of the size that the first hit let expect, with little to spare
    expect(answer.buffer.byteLength).toBeLessThan(answer.length * 1.2 + 64);
  });

  it('grow with hits that were not expected, and are what they would be in one piece', () => {
    for (const sizes of [[1, 100_000, 3], [0, 0, 5_000, 1, 1], [9_000, 1, 1, 1], []]) {
      const writer = new AnswerWriter(1);
      for (const size of sizes) writer.add('é'.repeat(size));
      expect(Buffer.from(writer.end(']}')).toString()).toBe(
        `{"hits":[${sizes.map((size) => 'é'.repeat(size)).join(',')}]}`,
      );
    }
  });

  it.each([
    [60, 10_000],
    [1, 500_000],
    [1_000, 300],
    [20, 70_000],
    [300, 4_096],
    [2, 1],
  ])('ask for their bytes before they keep them: %i hits of %i bytes', (count, size) => {
    let asked = 0;
    const half = (count * size) / 2;
    const write = (limit: number): Uint8Array => {
      asked = 0;
      const room = (bytes: number): void => {
        if (asked + bytes > limit) throw new Error('no room');
        asked += bytes;
      };
      return withAnswerRoom(room, () => {
        const writer = new AnswerWriter(count);
        for (let at = 0; at < count; at++) writer.add('x'.repeat(size));
        return writer.end(']}');
      });
    };
    const { length } = write(Number.POSITIVE_INFINITY);
    // the begin and one comma
    expect(Math.abs(length - asked)).toBeLessThanOrEqual(9);
    expect(() => write(half)).toThrow('no room');
    expect(asked).toBeLessThanOrEqual(half);
    // grouped hits, which are kept as texts
    const group = bounded((text: string) => text);
    expect(() =>
      withAnswerRoom(
        (bytes) => {
          if (bytes > size) throw new Error('no room');
        },
        () => group('x'.repeat(size)),
      ),
    ).toThrow('no room');
  });

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

import { describe, expect, it } from 'vitest';
import { wholeAnswer } from '../conversation/whole-answer.js';
import { MAX_PROVIDER_MEMBERS } from '../limits.js';
import { type Chunk, chunkOf } from './chunk.js';
import { GatheredMembers, UsageSum } from './gathered-members.js';
import { AnswerFrame, Round } from './round.js';

const tooMany = expect.objectContaining({ code: 'remote_bad_response', message: expect.stringContaining('members') });
const callPiece = (i: number, more: object = {}): Chunk =>
  chunkOf({
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [{ index: 0, id: i === 0 ? 'c' : undefined, function: { name: 'f', arguments: 'x' }, ...more }],
        },
      },
    ],
  })!;

describe('the usage of an answer', () => {
  it('adds numbers at any depth', () => {
    const usage = new UsageSum();
    expect(usage.total).toBeNull();
    usage.add({ total: 1, details: { cached: 2, name: 'x' } });
    usage.add(null);
    usage.add({ total: 10, details: { cached: 20, audio: 5 }, more: {} });
    expect(usage.total).toEqual({ total: 11, details: { cached: 22, audio: 5 }, more: {} });
  });

  it('is one object, to which each piece adds: nothing is copied', () => {
    const usage = new UsageSum();
    usage.add({ details: { cached: 1 } });
    const { total } = usage;
    for (let i = 0; i < 1_000; i++) usage.add({ details: { cached: 1 } });
    expect(usage.total).toBe(total);
    expect(total).toEqual({ details: { cached: 1_001 } });
  });

  it('has a limit of members, nested ones included', () => {
    const usage = new UsageSum();
    for (let i = 0; i < MAX_PROVIDER_MEMBERS - 1; i++) usage.add({ details: { [`m${i}`]: 1 } });
    expect(() => usage.add({ details: { m0: 1 } })).not.toThrow();
    expect(() => usage.add({ details: { other: 1 } })).toThrow(tooMany);
  });

  it('takes a member named __proto__ as a member', () => {
    const sum = new GatheredMembers();
    sum.set(JSON.parse('{"__proto__":{"a":1}}'));
    expect(Object.keys(sum.all)).toEqual(['__proto__']);
  });
});

describe('a call in many pieces', () => {
  it('has a limit of members besides its arguments', () => {
    const round = new Round(new AnswerFrame('m'), () => false);
    for (let i = 0; i < MAX_PROVIDER_MEMBERS; i++) round.pass(callPiece(i, { [`m${i}`]: 1 }));
    expect(() => round.pass(callPiece(1, { other: 1 }))).toThrow(tooMany);
  });

  it('is put together in place for a client that wants one object', async () => {
    const round = new Round(new AnswerFrame('m'), () => true);
    async function* passed(): AsyncGenerator<Chunk> {
      for (let i = 0; i < 50_000; i++) {
        const chunk = round.pass(callPiece(i));
        if (chunk !== null) yield { ...chunk, [`outer${i % 100}`]: i };
      }
    }
    const answer = await wholeAnswer(passed());
    const [{ message }] = answer['choices'] as [{ message: { tool_calls: { function: { arguments: string } }[] } }];
    expect(message.tool_calls[0]!.function.arguments).toHaveLength(50_000);
    expect(answer['outer1']).toBe(49_901);
  });

  it('has a limit of the members of its answer', async () => {
    async function* chunks(): AsyncGenerator<Chunk> {
      for (let i = 0; i < MAX_PROVIDER_MEMBERS + 1; i++) yield { choices: [], [`outer${i}`]: i };
    }
    await expect(wholeAnswer(chunks())).rejects.toThrow(tooMany);
  });
});

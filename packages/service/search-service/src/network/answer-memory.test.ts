import { Readable } from 'node:stream';
import type { OutboundAnswer } from '@fossick/outbound';
import { expect, test } from 'vitest';
import { AnswerMemory } from './answer-memory.js';
import { readAnswer } from './remote-answer.js';

const answerOf = (body: AsyncIterable<Buffer>): OutboundAnswer => ({
  status: 200,
  header: () => null,
  body,
  discard: async () => undefined,
});
const answer = (...chunks: readonly string[]): OutboundAnswer =>
  answerOf(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
const outOfMemory = expect.objectContaining({ code: 'too_many_search_requests' });

test('answers to all requests share one limit, and are released at the end of each request', async () => {
  const memory = new AnswerMemory(10);
  const [first, second] = [memory.reserve(), memory.reserve()];
  await readAnswer(answer('1234', '567'), 100, first);
  expect(memory.heldBytes).toBe(7);
  await expect(readAnswer(answer('12', '34'), 100, second)).rejects.toEqual(outOfMemory);
  expect(memory.heldBytes).toBe(7);
  first.release();
  await readAnswer(answer('12', '34'), 100, second);
  expect(memory.heldBytes).toBe(4);
  second.release();
  expect(memory.heldBytes).toBe(0);
});

test('answers that are too large or interrupted are no longer counted', async () => {
  const memory = new AnswerMemory(100);
  const reservation = memory.reserve();
  await expect(readAnswer(answer('123', '456'), 5, reservation)).rejects.toMatchObject({ code: 'remote_bad_response' });
  const broken = new Readable({ read: () => undefined });
  broken.push(Buffer.from('123'));
  setImmediate(() => broken.destroy(new Error('broken')));
  await expect(readAnswer(answerOf(broken), 100, reservation)).rejects.toThrow('broken');
  expect(memory.heldBytes).toBe(0);
});

test('a request that is over counts nothing more of what still comes', async () => {
  const memory = new AnswerMemory(100);
  const reservation = memory.reserve();
  reservation.release();
  await readAnswer(answer('123'), 100, reservation);
  expect(memory.heldBytes).toBe(0);
});

import { expect, test } from 'vitest';
import { AnswerAccount } from './answer-account.js';

const KIB = 1024;
const refused = expect.objectContaining({ code: 'too_many_answers' });

function held(account: AnswerAccount, bytes: number) {
  const hold = account.hold();
  hold.set(bytes);
  return hold;
}

test('large answers share the capacity, and their room is free again after a release', () => {
  const account = new AnswerAccount(1_000 * KIB);
  const first = held(account, 600 * KIB);
  expect(() => held(account, 500 * KIB)).toThrow(refused);
  held(account, 400 * KIB);
  expect(account.heldBytes).toBe(1_000 * KIB);
  first.release();
  first.release();
  held(account, 500 * KIB);
  expect(account.heldBytes).toBe(900 * KIB);
});

test('a refused change keeps what was held', () => {
  const account = new AnswerAccount(1_000 * KIB);
  held(account, 700 * KIB);
  const growing = held(account, 200 * KIB);
  expect(() => growing.set(400 * KIB)).toThrow(refused);
  expect(account.heldBytes).toBe(900 * KIB);
  growing.set(300 * KIB);
  growing.set(100 * KIB);
  expect(account.heldBytes).toBe(800 * KIB);
});

test('ordinary pages have a reserve that large answers cannot take, and the tiny ones are never refused', () => {
  const account = new AnswerAccount(1_000 * KIB);
  held(account, 1_000 * KIB);
  expect(() => held(account, 65 * KIB)).toThrow(refused);
  for (let count = 0; count < 5; count++) held(account, 50 * KIB);
  expect(() => held(account, 50 * KIB)).toThrow(refused);
  for (let count = 0; count < 100; count++) held(account, 4 * KIB);
});

test('one large answer alone may be larger than the capacity', () => {
  const account = new AnswerAccount(1_000 * KIB);
  held(account, 50 * KIB);
  const alone = held(account, 500 * KIB);
  alone.set(5_000 * KIB);
  expect(() => held(account, 65 * KIB)).toThrow(refused);
  alone.release();
  expect(account.heldBytes).toBe(50 * KIB);
});

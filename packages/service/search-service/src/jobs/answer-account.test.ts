import { expect, test } from 'vitest';
import { AnswerAccount } from './answer-account.js';

const KIB = 1024;
const refused = expect.objectContaining({ code: 'too_many_answers' });

function held(account: AnswerAccount, bytes: number) {
  const reservation = account.reserve();
  reservation.set(bytes);
  return reservation;
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

test('an answer asks for an ordinary page at a time while it is written, and what threads write counts for all', () => {
  const account = new AnswerAccount(1_000 * KIB);
  const { capacityBytes, counters } = account.shared;
  const inThread = new AnswerAccount(capacityBytes, counters);
  const reservation = inThread.reserve({ thread: 3 });
  reservation.grow(60 * KIB);
  expect(account.heldBytes).toBe(0);
  for (let hit = 0; hit < 10; hit++) reservation.grow(60 * KIB);
  expect(account.heldBytes).toBe(704 * KIB);
  expect(() => held(account, 400 * KIB)).toThrow(refused);
  held(account, 256 * KIB);
  expect(() => reservation.grow(60 * KIB)).toThrow(refused);
  expect(account.heldBytes).toBe(960 * KIB);
  reservation.shrink(600 * KIB);
  const left = reservation.leave();
  expect([left, reservation.bytes, account.heldBytes]).toEqual([600 * KIB, 0, 856 * KIB]);
  // the next answer is begun before the first one is taken
  const next = inThread.reserve({ thread: 3 });
  next.grow(70 * KIB);
  account.take(3, left);
  expect(account.heldBytes).toBe(384 * KIB);
  account.forget(3);
  expect(account.heldBytes).toBe(256 * KIB);
});

test('what a thread had left when it ended, and nobody has received, is free again', () => {
  const account = new AnswerAccount(1_000 * KIB);
  const inThread = new AnswerAccount(1_000 * KIB, account.shared.counters);
  for (const kib of [300, 200]) {
    const reservation = inThread.reserve({ thread: 7 });
    reservation.grow(kib * KIB);
    reservation.shrink(kib * KIB);
    reservation.leave();
  }
  const writing = inThread.reserve({ thread: 7 });
  writing.grow(100 * KIB);
  account.take(7, 300 * KIB);
  expect(account.heldBytes).toBe(328 * KIB);
  account.forget(7);
  expect(account.heldBytes).toBe(0);
  held(account, 1_000 * KIB);
});

test('what a thread was writing when it ended is free again', () => {
  const account = new AnswerAccount(1_000 * KIB);
  const reservation = new AnswerAccount(1_000 * KIB, account.shared.counters).reserve({ thread: 255 });
  reservation.grow(500 * KIB);
  account.forget(254);
  expect(account.heldBytes).toBe(512 * KIB);
  account.forget(255);
  account.forget(255);
  expect(account.heldBytes).toBe(0);
  held(account, 1_000 * KIB);
});

test('a part of an answer that is alone may go beyond the capacity with the other parts', () => {
  const account = new AnswerAccount(1_000 * KIB);
  const whole = held(account, 900 * KIB);
  const part = account.reserve({ thread: 1, beside: 900 * KIB });
  part.grow(800 * KIB);
  expect(() => account.reserve({ thread: 2 }).grow(800 * KIB)).toThrow(refused);
  part.release();
  whole.release();
  expect(account.heldBytes).toBe(0);
});

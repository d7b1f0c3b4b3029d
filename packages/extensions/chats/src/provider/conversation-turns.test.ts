import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ConversationTurns } from './conversation-turns.js';

test('while searches wait, a conversation runs only in every fourth turn', async () => {
  let isSearching = true;
  const turns = new ConversationTurns(() => isSearching);
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  await Promise.all(['a', 'b', 'c'].map(() => turns.next().then(() => seen.push(turn))));
  expect([seen[1]! - seen[0]!, seen[2]! - seen[1]!]).toEqual([4, 4]);
  isSearching = false;
  seen.length = 0;
  await Promise.all(['a', 'b'].map(() => turns.next().then(() => seen.push(turn))));
  expect(seen[1]! - seen[0]!).toBe(1);
  isOver = true;
});

test('one conversation runs in each turn of the event loop, in order of arrival', async () => {
  const turns = new ConversationTurns();
  const seen: string[] = [];
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const all = ['a', 'b', 'c'].map((name) => turns.next().then(() => seen.push(`${name}${turn}`)));
  await Promise.all(all);
  const numbers = seen.map((text) => Number(text.slice(1)));
  expect(seen.map((text) => text[0])).toEqual(['a', 'b', 'c']);
  expect(new Set(numbers).size).toBe(3);
  await pause(1);
  await turns.next();
  isOver = true;
});

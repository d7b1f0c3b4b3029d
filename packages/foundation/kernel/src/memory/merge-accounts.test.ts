import { expect, test } from 'vitest';
import { MemoryBudget, newSharedBudget, reportProcess } from './memory-budget.js';
import { MergeAccount, MergeAccounts } from './merge-accounts.js';

const MIB = 2 ** 20;
const MAX = 240 * MIB;

function processOf(threadCount: number) {
  const buffer = newSharedBudget(threadCount);
  const threads = Array.from({ length: threadCount }, (_, owner) => new MemoryBudget(MAX, { buffer, owner }));
  return { buffer, threads, merges: new MergeAccounts(buffer, MAX) };
}

test('what merges hold is taken off the allowance of searches, which keep half of the limit, and comes back', () => {
  const { threads, merges } = processOf(2);
  const [searching] = threads;
  searching!.report(MAX);
  const [first, second] = [merges.open(0)!, merges.open(0)!];
  new MergeAccount(first).report(70 * MIB);
  expect(searching!.allowance).toBe(170 * MIB);
  new MergeAccount(second).report(40 * MIB);
  expect(searching!.allowance).toBe(130 * MIB);
  new MergeAccount(second).report(400 * MIB);
  expect(searching!.allowance).toBe(120 * MIB);
  merges.close(second.merge);
  expect(searching!.allowance).toBe(170 * MIB);
  merges.close(first.merge);
  expect(searching!.allowance).toBe(MAX);
});

test('what a merge will need counts from its beginning to its end, however little it holds', () => {
  const { threads, merges } = processOf(2);
  const [searching] = threads;
  const account = new MergeAccount(merges.open(90 * MIB)!);
  expect(searching!.allowance).toBe(150 * MIB);
  account.report(16 * MIB);
  expect(searching!.allowance).toBe(150 * MIB);
  account.report(100 * MIB);
  expect(searching!.allowance).toBe(140 * MIB);
  account.report(16 * MIB);
  expect(searching!.allowance).toBe(150 * MIB);
});

test('an idle thread owes its memory to a merge that lacks it', () => {
  const { threads, merges } = processOf(2);
  const [idle, other] = threads;
  idle!.report(220 * MIB);
  const account = new MergeAccount(merges.open(0)!);
  account.report(16 * MIB);
  expect([idle!.isOwed, account.missingBytes]).toEqual([false, 0]);
  account.report(100 * MIB);
  expect([idle!.isOwed, other!.isOwed, account.missingBytes]).toEqual([true, false, 50 * MIB]);
  idle!.report(2 * MIB);
  expect([idle!.isOwed, account.missingBytes]).toEqual([false, 0]);
});

test('the memory of merges is no memory without an account', () => {
  const { buffer, threads, merges } = processOf(2);
  threads[0]!.report(100 * MIB);
  new MergeAccount(merges.open(0)!).report(100 * MIB);
  // 144 MiB are those of the process itself
  reportProcess(buffer, 344 * MIB, MAX);
  expect(threads[0]!.allowance).toBe(140 * MIB);
});

test('accounts that an ended writer left are closed by the next one, and there are 16', () => {
  const { buffer, threads, merges } = processOf(1);
  new MergeAccount(merges.open(0)!).report(50 * MIB);
  expect(threads[0]!.allowance).toBe(190 * MIB);
  const next = new MergeAccounts(buffer, MAX);
  expect(threads[0]!.allowance).toBe(MAX);
  const opened = Array.from({ length: 17 }, () => next.open(0)?.merge);
  expect([new Set(opened).size, opened.at(-1)]).toEqual([17, undefined]);
  next.close(3);
  expect(next.open(0)?.merge).toBe(3);
});

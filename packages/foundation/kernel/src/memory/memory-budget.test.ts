import { expect, test } from 'vitest';
import {
  closeAccount,
  MemoryBudget,
  newSharedBudget,
  reportMerge,
  reportProcess,
  setMerging,
} from './memory-budget.js';

const MIB = 2 ** 20;

function threads(count: number): MemoryBudget[] {
  const buffer = newSharedBudget(count);
  return Array.from({ length: count }, (_, owner) => new MemoryBudget(240 * MIB, { buffer, owner }));
}

test('a thread that searches alone may have all, and keeps it while the others want nothing', () => {
  const [alone, idle] = threads(2);
  alone!.report(240 * MIB);
  expect(alone!.allowance).toBe(240 * MIB);
  expect(alone!.isOwed).toBe(false);
  idle!.report(2 * MIB);
  expect(alone!.isOwed).toBe(false);
});

test('a thread that begins has half an even share at once, and is owed more when that is used up', () => {
  const [first, second] = threads(2);
  first!.report(240 * MIB);
  expect(second!.allowance).toBe(60 * MIB);
  second!.report(30 * MIB);
  expect(first!.isOwed).toBe(false);
  second!.report(59 * MIB);
  expect(first!.isOwed).toBe(true);
  expect(second!.isOwed).toBe(false);
  expect(first!.allowance).toBe(181 * MIB);
  first!.report(120 * MIB);
  expect(first!.isOwed).toBe(false);
  expect(second!.allowance).toBe(120 * MIB);
});

test('a single thread owes no memory', () => {
  const [only] = threads(1);
  only!.report(400 * MIB);
  expect(only!.isOwed).toBe(false);
  expect(only!.allowance).toBe(240 * MIB);
});

test('what the process has beyond its accounts is not judged while segments are merged', () => {
  const buffer = newSharedBudget(2);
  const [searching] = [0, 1].map((owner) => new MemoryBudget(240 * MIB, { buffer, owner }));
  searching!.report(240 * MIB);
  reportProcess(buffer, 408 * MIB, 240 * MIB);
  expect(searching!.allowance).toBe(216 * MIB);
  setMerging(buffer, true);
  reportProcess(buffer, 900 * MIB, 240 * MIB);
  expect(searching!.allowance).toBe(216 * MIB);
  setMerging(buffer, false);
  reportProcess(buffer, 368 * MIB, 240 * MIB);
  expect(searching!.allowance).toBe(240 * MIB);
});

test('what the process takes and no account explains is taken off, as far as a quarter', () => {
  const buffer = newSharedBudget(2);
  const [searching, idle] = [0, 1].map((owner) => new MemoryBudget(240 * MIB, { buffer, owner }));
  searching!.report(100 * MIB);
  idle!.report(10 * MIB);
  // code, heaps and the like
  reportProcess(buffer, 248 * MIB, 240 * MIB);
  expect(searching!.allowance).toBe(230 * MIB);
  reportProcess(buffer, 278 * MIB, 240 * MIB);
  expect(searching!.allowance).toBe(206 * MIB);
  reportProcess(buffer, 900 * MIB, 240 * MIB);
  expect(searching!.allowance).toBe(170 * MIB);
  expect(idle!.allowance).toBe(80 * MIB);
  reportProcess(buffer, 168 * MIB, 240 * MIB);
  expect(searching!.allowance).toBe(230 * MIB);
});

test('heaps that threads will have are taken off before they have them, and not twice', () => {
  const buffer = newSharedBudget(2, 48 * MIB);
  const [searching, idle] = [0, 1].map((owner) => new MemoryBudget(240 * MIB, { buffer, owner }));
  searching!.report(100 * MIB);
  expect([searching!.allowance, idle!.allowance]).toEqual([192 * MIB, 92 * MIB]);
  reportProcess(buffer, 274 * MIB, 240 * MIB);
  expect(searching!.allowance).toBe(192 * MIB);
  reportProcess(buffer, 294 * MIB, 240 * MIB);
  expect(searching!.allowance).toBe(190 * MIB);
  // a quarter of what searches use, as ever
  for (const budget of [searching!, idle!]) budget.expect(160 * MIB);
  expect(searching!.allowance).toBe(120 * MIB);
});

test('threads that share a kernel have what the others leave, less what each of them has outside of it', () => {
  const buffer = newSharedBudget(5);
  const [http, first, second] = [0, 1, 2].map(
    (owner) => new MemoryBudget(240 * MIB, { buffer, owner, kernelOwner: owner === 0 ? undefined : 4 }),
  );
  http!.report(20 * MIB);
  first!.report(150 * MIB, 10 * MIB);
  second!.report(150 * MIB, 30 * MIB);
  // each counts the kernel and its own, and not the other's
  expect([first!.allowance, second!.allowance]).toEqual([190 * MIB, 210 * MIB]);
  expect(http!.allowance).toBe(50 * MIB);
  // the minimum is that of three of five accounts
  http!.report(230 * MIB);
  expect(first!.allowance).toBe(72 * MIB);
  expect([http!.isOwed, first!.isOwed]).toEqual([true, true]);
  http!.report(20 * MIB);
  closeAccount(buffer, 2);
  expect(first!.allowance).toBe(220 * MIB);
  closeAccount(buffer, 4);
  expect(http!.allowance).toBe(230 * MIB);
});

test('searches that use a part of their limit give memory to merges only when the rest of the limit is not enough', () => {
  const buffer = newSharedBudget(5);
  const [http, first] = [0, 1].map(
    (owner) => new MemoryBudget(960 * MIB, { buffer, owner, kernelOwner: owner === 0 ? undefined : 4 }),
  );
  for (const budget of [http!, first!]) budget.expect(400 * MIB);
  http!.report(20 * MIB);
  first!.report(370 * MIB, 10 * MIB);
  expect(first!.allowance).toBe(380 * MIB);
  reportMerge(buffer, 0, 400 * MIB);
  expect([first!.allowance, first!.isOwed]).toEqual([380 * MIB, false]);
  // all documents are in one index now, and its searches use what they may
  for (const budget of [http!, first!]) budget.expect(960 * MIB);
  first!.report(930 * MIB, 10 * MIB);
  expect([first!.allowance, first!.isOwed]).toEqual([540 * MIB, true]);
  // what no account explains is judged by what searches use, too
  reportMerge(buffer, 0, 0);
  for (const budget of [http!, first!]) budget.expect(400 * MIB);
  first!.report(300 * MIB);
  reportProcess(buffer, 900 * MIB, 960 * MIB);
  expect(first!.allowance).toBe(280 * MIB);
});

test('a thread that is idle may use what another one expects for an index that has grown', () => {
  const [first, idle] = threads(2);
  for (const budget of [first!, idle!]) budget.expect(100 * MIB);
  expect(idle!.allowance).toBe(100 * MIB);
  first!.expect(200 * MIB);
  expect([first!.allowance, idle!.allowance]).toEqual([200 * MIB, 200 * MIB]);
});

test('a thread that has ended expects nothing', () => {
  const buffer = newSharedBudget(2);
  const [first, second] = [0, 1].map((owner) => new MemoryBudget(240 * MIB, { buffer, owner }));
  first!.expect(200 * MIB);
  second!.expect(100 * MIB);
  closeAccount(buffer, 0);
  expect(second!.allowance).toBe(100 * MIB);
  closeAccount(buffer, 1);
  expect(second!.allowance).toBe(240 * MIB);
});

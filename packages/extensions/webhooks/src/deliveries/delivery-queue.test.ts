import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Webhook } from '../webhook.js';
import { DeliveryQueue } from './delivery-queue.js';

interface InFlight {
  readonly uuid: string;
  readonly body: string;
  readonly end: (error?: Error) => void;
}

let inFlight: InFlight[] = [];
let faults: string[] = [];
let dropped: [uuid: string, count: number][] = [];
let queue: DeliveryQueue;
beforeEach(() => {
  [inFlight, faults, dropped] = [[], [], []];
  queue = new DeliveryQueue({
    post: ({ uuid }, body) =>
      new Promise((resolve, reject) => {
        const entry: InFlight = {
          uuid,
          body: body.toString('latin1', 0, 20),
          end: (error) => {
            inFlight = inFlight.filter((other) => other !== entry);
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        inFlight.push(entry);
      }),
    onFailure: ({ uuid }, error) => faults.push(`${uuid}: ${(error as Error).message}`),
    onDropped: ({ uuid }, count) => dropped.push([uuid, count]),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const hooks = (count: number): Webhook[] =>
  Array.from({ length: count }, (_, at) => ({ uuid: `w${at}`, url: 'http://a', headers: {} }));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const inFlightOf = (uuid: string): string[] => inFlight.filter((one) => one.uuid === uuid).map(({ body }) => body);

test('four deliveries at a time go to one webhook and 64 to all, in their order', async () => {
  for (let at = 0; at < 10; at++) queue.push(hooks(1), Buffer.from(`b${at}`));
  expect(inFlightOf('w0')).toEqual(['b0', 'b1', 'b2', 'b3']);
  inFlight[1]!.end();
  await turn();
  expect(inFlightOf('w0')).toEqual(['b0', 'b2', 'b3', 'b4']);
  for (let at = 0; at < 10; at++) queue.push(hooks(30), Buffer.from(`c${at}`));
  expect(inFlight).toHaveLength(64);
  for (const { uuid } of hooks(30)) expect(inFlightOf(uuid).length).toBeGreaterThanOrEqual(2);
});

test('a webhook that fails gets one delivery at a time, and the others their turns', async () => {
  for (let at = 0; at < 6; at++) queue.push(hooks(2), Buffer.from(`b${at}`));
  for (const one of inFlight.filter(({ uuid }) => uuid === 'w0')) one.end(new Error('no answer'));
  await turn();
  expect(faults).toEqual(Array(4).fill('w0: no answer'));
  expect([inFlightOf('w0'), inFlightOf('w1')]).toEqual([['b4'], ['b0', 'b1', 'b2', 'b3']]);
  inFlight.find(({ uuid }) => uuid === 'w0')!.end();
  await turn();
  for (let at = 6; at < 12; at++) queue.push(hooks(2), Buffer.from(`b${at}`));
  expect(inFlightOf('w0')).toEqual(['b5', 'b6', 'b7', 'b8']);
});

test('of more than a thousand waiting deliveries the oldest are dropped, which is reported once a minute', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  for (let at = 0; at < 1_104; at++) queue.push(hooks(1), Buffer.from(`b${at}`));
  // four are in flight
  expect(dropped).toEqual([['w0', 1]]);
  vi.setSystemTime(1_061_000);
  queue.push(hooks(1), Buffer.from('last'));
  expect(dropped).toEqual([
    ['w0', 1],
    ['w0', 100],
  ]);
  expect(inFlightOf('w0')).toEqual(['b0', 'b1', 'b2', 'b3']);
});

test('waiting deliveries of one webhook have at most 16 MiB, and one may have more', async () => {
  for (let at = 0; at < 4; at++) queue.push(hooks(1), Buffer.from(`b${at}`));
  queue.push(hooks(1), Buffer.alloc(9 << 20, 'x'));
  queue.push(hooks(1), Buffer.alloc(20 << 20, 'y'));
  expect(dropped).toEqual([['w0', 1]]);
  for (const one of [...inFlight]) one.end();
  await turn();
  expect(inFlightOf('w0')).toEqual(['y'.repeat(20)]);
});

test('what waits for a webhook that was deleted is forgotten', async () => {
  for (let at = 0; at < 6; at++) queue.push(hooks(2), Buffer.from(`b${at}`));
  queue.push(hooks(1), Buffer.from('last'));
  for (const one of inFlight.filter(({ uuid }) => uuid === 'w1')) one.end();
  await turn();
  expect(inFlightOf('w1')).toEqual([]);
  expect(dropped).toEqual([]);
});

test('it is idle when all have ended, and what is cleared counts as dropped', async () => {
  await queue.idle();
  for (let at = 0; at < 7; at++) queue.push(hooks(1), Buffer.from(`b${at}`));
  let isIdle = false;
  const idle = queue.idle().then(() => {
    isIdle = true;
  });
  queue.clear();
  expect(dropped).toEqual([['w0', 3]]);
  await turn();
  expect(isIdle).toBe(false);
  for (const one of [...inFlight]) one.end();
  await idle;
});

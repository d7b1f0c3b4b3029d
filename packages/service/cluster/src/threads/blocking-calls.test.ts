import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { apiError } from '@fossick/base';
import { expect, it } from 'vitest';
import { answerCalls, endWaits, newSignal } from './blocking-calls.js';
import { describe, revived } from './sent-errors.js';

/** A thread that asks by the protocol of BlockingCaller, in plain JavaScript, and posts what it got. */
const CALLER = `
const { workerData, parentPort, receiveMessageOnPort } = require('node:worker_threads');
const { port, signal } = workerData;
const numbers = new Int32Array(signal);
for (let id = 1; id <= 3; id += 1) {
  port.postMessage({ id, question: id });
  for (;;) {
    const seen = Atomics.load(numbers, 0);
    const received = receiveMessageOnPort(port);
    if (received !== undefined) { parentPort.postMessage(received.message); break; }
    if (Atomics.load(numbers, 1) === 1) { parentPort.postMessage('ended'); process.exit(); }
    Atomics.wait(numbers, 0, seen);
  }
}`;

it('answers a thread that is blocked, with values and errors, and wakes it when nobody answers any more', async () => {
  const { port1, port2 } = new MessageChannel();
  const signal = newSignal();
  const got: unknown[] = [];
  answerCalls<number>({ port: port2, signal }, async (question) => {
    if (question === 2) throw apiError('cluster_log_unavailable', 'away');
    // the third has no answer
    if (question === 3) return new Promise(() => setTimeout(() => endWaits(signal), 20));
    return question * 10;
  });
  const worker = new Worker(CALLER, { eval: true, workerData: { port: port1, signal }, transferList: [port1] });
  worker.on('message', (message) => got.push(message));
  await once(worker, 'exit');
  port2.close();
  expect(got).toEqual([
    { id: 1, value: 10 },
    { id: 2, error: expect.objectContaining({ name: 'ApiError', code: 'cluster_log_unavailable' }) },
    'ended',
  ]);
});

it('errors keep their class, code and text on their way', () => {
  const error = apiError('replica_behind', 'position', 7, 5);
  const sent = revived(structuredClone(describe(error)));
  expect(sent).toMatchObject({ name: 'ApiError', code: 'replica_behind', message: error.message });
  expect(sent.constructor).toBe(error.constructor);
  expect(revived(describe(new RangeError('x')))).toMatchObject({ name: 'RangeError', message: 'x' });
});

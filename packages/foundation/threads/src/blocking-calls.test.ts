import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { Bell } from './bell.js';
import { answerCalls } from './blocking-calls.js';

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
  const bell = new Bell();
  const signal = bell.buffer;
  const got: unknown[] = [];
  const answer = async (question: number): Promise<unknown> => {
    if (question === 2) throw new RangeError('no two');
    // the third has no answer
    if (question === 3) return new Promise(() => setTimeout(() => bell.end(), 20));
    return question * 10;
  };
  answerCalls({ port: port2, signal }, answer, (error) => ({ said: String(error) }));
  const worker = new Worker(CALLER, { eval: true, workerData: { port: port1, signal }, transferList: [port1] });
  worker.on('message', (message) => got.push(message));
  await once(worker, 'exit');
  port2.close();
  expect(got).toEqual([{ id: 1, value: 10 }, { id: 2, error: { said: 'RangeError: no two' } }, 'ended']);
});

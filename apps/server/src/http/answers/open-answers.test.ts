import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { OpenAnswers } from './open-answers.js';

/** More than the two sockets of a connection hold. */
const BYTES = 64 << 20;

/** The answer that a client asked for and does not read until `read` is called, which tells how many bytes came. */
async function unreadAnswer(): Promise<{ answer: ServerResponse; read: () => Promise<number>; close: () => void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const asked = new Promise<ServerResponse>((resolve) => {
    server.once('request', (_request, response) => resolve(response));
  });
  const call = request({ port: (server.address() as AddressInfo).port }).on('error', () => undefined);
  call.end();
  const told = new Promise<IncomingMessage>((resolve) => {
    call.once('response', (response) => resolve(response.on('error', () => undefined)));
  });
  const close = (): void => {
    call.destroy();
    server.close();
  };
  const read = async (): Promise<number> => {
    let bytes = 0;
    for await (const chunk of await told) bytes += (chunk as Buffer).length;
    return bytes;
  };
  return { answer: await asked, read, close };
}

test('an answer whose end is taken is waited for', async () => {
  const { answer, read, close } = await unreadAnswer();
  const answers = new OpenAnswers(60_000);
  answers.add(answer);
  answer.end(Buffer.alloc(BYTES));
  const ended = answers.ended();
  expect(await read()).toBe(BYTES);
  await ended;
  close();
});

test('an answer whose end nobody takes is broken off, and so is one that begins then', async () => {
  const [first, second] = [await unreadAnswer(), await unreadAnswer()];
  const answers = new OpenAnswers();
  answers.add(first.answer);
  first.answer.end(Buffer.alloc(BYTES));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const ended = answers.ended();
  vi.advanceTimersByTime(1_999);
  expect([first.answer.destroyed, first.answer.writableFinished]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  await ended;
  expect(first.answer.destroyed).toBe(true);
  await expect(first.read()).rejects.toThrow();
  answers.add(second.answer);
  expect(second.answer.destroyed).toBe(true);
  first.close();
  second.close();
});

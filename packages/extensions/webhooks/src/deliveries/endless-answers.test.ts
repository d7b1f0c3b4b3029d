import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { NetworkPolicy } from '@fossick/outbound';
import { afterEach, describe, expect, test } from 'vitest';
import { FINISHED_TASK as task } from '../task.test-support.js';
import { WebhookSender } from './webhook-sender.js';

const CHUNK = Buffer.alloc(64 * 1024, 'a');
/** What the two sockets of a connection may hold of an answer that nobody reads on, generously. */
const UNDERWAY_BYTES = 32 << 20;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Receiver {
  readonly url: string;
  /** Of the answer, so far. */
  sentBytes(): number;
  /** Resolves when the first request has come. */
  readonly asked: Promise<void>;
  /** Resolves when the first connection is gone. */
  readonly left: Promise<void>;
}

/** Gives every request the answer that `answer` writes. */
async function receiver(answer: (response: ServerResponse) => void): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let onAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  const server = createServer((request, response) => {
    onAsked();
    request.resume();
    response.on('error', () => undefined);
    answer(response);
  });
  const left = new Promise<void>((resolve) => {
    server.on('connection', (socket) => {
      sockets.add(socket.on('error', () => undefined).once('close', () => resolve()));
    });
  });
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sentBytes = (): number => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, asked, left, sentBytes };
}

/** Writes for as long as the other side takes it. */
function pour(response: ServerResponse): void {
  const write = (): void => {
    while (!response.destroyed) if (!response.write(CHUNK)) return void response.once('drain', write);
  };
  write();
}

/** Longer than any delivery that ends by itself takes, whatever else the machine does. */
const PATIENCE_MS = 600_000;

/** One delivery, and what its failure was told as. A stop after the request breaks it off after `stopMs`. */
async function delivered({ url, asked }: Receiver, stopMs = PATIENCE_MS): Promise<readonly string[]> {
  const failures: string[] = [];
  const sender = new WebhookSender({
    policy: new NetworkPolicy('127.0.0.0/8'),
    webhooks: () => [{ uuid: 'x', url, headers: {} }],
    stopMs,
    onFailure: (message) => failures.push(message.replace(/^.*: /, '')),
  });
  sender.send([task]);
  await asked;
  await sender.stop();
  return failures;
}

describe('a receiver that answers without end', () => {
  test.each([
    [200, []],
    [500, ['it answered 500']],
  ])('with %i is read up to 64 KiB and left, and its status counts', async (status, failures) => {
    const hook = await receiver((response) => pour(response.writeHead(status)));
    expect(await delivered(hook)).toEqual(failures);
    await hook.left;
    expect(hook.sentBytes()).toBeLessThan(UNDERWAY_BYTES);
  });

  test('in its head is left', async () => {
    const hook = await receiver(({ socket }) => {
      socket!.write('HTTP/1.1 200 OK\r\n');
      const write = (): void => {
        while (!socket!.destroyed) if (!socket!.write(`x-a: ${CHUNK}\r\n`)) return void socket!.once('drain', write);
      };
      write();
    });
    expect(await delivered(hook)).toHaveLength(1);
    await hook.left;
    expect(hook.sentBytes()).toBeLessThan(UNDERWAY_BYTES);
  });

  test('of interim answers is left when the server stops', async () => {
    const hook = await receiver(({ socket }) => {
      const write = (): void => {
        if (socket!.destroyed) return;
        socket!.write('HTTP/1.1 102 Processing\r\n\r\n');
        setTimeout(write, 1);
      };
      write();
    });
    expect(await delivered(hook, 20)).toHaveLength(1);
    await hook.left;
  });

  test('a byte at a time is left when the server stops', async () => {
    const hook = await receiver((response) => {
      response.writeHead(200);
      const write = (): void => {
        if (response.destroyed) return;
        response.write('a');
        setTimeout(write, 10);
      };
      write();
    });
    expect(await delivered(hook, 20)).toHaveLength(1);
    await hook.left;
  });
});

test('a receiver that changes the protocol fails the delivery and keeps no stop waiting', async () => {
  const hook = await receiver(({ socket }) => {
    socket!.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: chat\r\n\r\nhello');
  });
  expect(await delivered(hook)).toEqual(['it answered 101, which nobody asked for']);
  await hook.left;
});

test.each([
  '',
  'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf',
  'no HTTP at all\r\n\r\n',
])('a connection that ends after %j fails the delivery', async (text) => {
  const hook = await receiver(({ socket }) => void socket!.end(text));
  expect(await delivered(hook)).toHaveLength(1);
});

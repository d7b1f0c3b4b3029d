import { get, type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';

/** A stop without streams takes a fraction of a second, one that waits for a stream would never end. */
const STOP_MS = 15_000;

const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
async function start(): Promise<ServerProcess> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startServerProcess(folder);
  cleanups.push(() => server.kill());
  await server.call('PATCH', '/experimental-features', { logsRoute: true });
  return server;
}

/** The answer of an open log stream, once a line has come. Nobody reads it until the caller does. */
async function listen(server: ServerProcess): Promise<IncomingMessage> {
  const listened = new Promise<IncomingMessage>((resolve, reject) => {
    const call = request(`${server.url}/logs/stream`, { method: 'POST' }, (answer) => {
      answer.on('error', () => undefined);
      cleanups.push(() => void answer.destroy());
      resolve(answer);
    });
    call.once('error', reject);
    call.setHeader('content-type', 'application/json');
    call.end(JSON.stringify({ target: 'info', mode: 'json' }));
  });
  for (let answer: IncomingMessage | undefined; ; ) {
    await server.call('GET', '/health');
    answer = await Promise.race([listened, pause(50).then(() => undefined)]);
    if (answer !== undefined) return answer;
  }
}
/** The exit code of a stop, or `still running`. */
function stopped(server: ServerProcess): Promise<unknown> {
  return Promise.race([server.stop(), pause(STOP_MS).then(() => 'still running')]);
}
/** Fills the stream, and the connection behind it, with lines. */
async function answerRequests(server: ServerProcess, count: number): Promise<void> {
  const path = `${server.url}/health?${'x'.repeat(8_000)}`;
  for (let done = 0; done < count; done += 20)
    await Promise.all(
      Array.from(
        { length: 20 },
        () => new Promise<void>((resolve) => get(path, (answer) => answer.resume().once('close', resolve))),
      ),
    );
}

describe.skipIf(!isBuilt)('a stop', () => {
  test('ends a log stream that is read, and the process', async () => {
    const server = await start();
    const answer = await listen(server);
    let text = '';
    answer.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const ended = new Promise<void>((resolve) => answer.once('end', resolve));
    await server.call('GET', '/health');
    expect(await stopped(server)).toBe(0);
    await ended;
    expect(text).toContain('/health');
  });

  test('does not wait for who reads no line of a log stream', async () => {
    const server = await start();
    await listen(server);
    await answerRequests(server, 100);
    expect(await stopped(server)).toBe(0);
  });

  test('does not wait for streams that were closed before', async () => {
    const server = await start();
    await listen(server);
    await answerRequests(server, 100);
    expect((await server.call('DELETE', '/logs/stream')).status).toBe(204);
    await listen(server);
    expect(await stopped(server)).toBe(0);
  });
});

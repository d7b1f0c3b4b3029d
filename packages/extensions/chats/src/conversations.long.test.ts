import { readFileSync } from 'node:fs';
import { pause } from '@fossick/server/e2e/server-process.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterEach, describe, expect, test } from 'vitest';
import { ASKED, ChatProcess, MASTER_KEY } from './in-server/chat-server.test-support.js';
import { chunkText } from './in-server/provider.test-support.js';

let chat: ChatProcess | undefined;
afterEach(() => chat?.stop());

const COUNT = 200;
const ROUNDS = 10;
/** Searches that are timed, one after the other. */
const SEARCH_COUNT = 40;
const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}` };

/** Memory of a process that is no file's, in bytes; Linux only. */
function ownBytes(pid: number): number {
  return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}
/** The slowest of them, in milliseconds. */
async function slowMs(server: ChatProcess): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < SEARCH_COUNT; at++) {
    const startedMs = performance.now();
    const { status } = await server.call('POST', '/indexes/movies/search', { q: `harbour ${at}` });
    expect(status).toBe(200);
    times.push(performance.now() - startedMs);
  }
  return times.sort((a, b) => a - b).at(-1)!;
}

describe.skipIf(!isBuilt || process.platform !== 'linux')('many conversations at once', () => {
  test('let searches go on in time, keep memory flat, and leave nothing open when their clients leave', async () => {
    const server = new ChatProcess();
    chat = server;
    await server.start();
    // two seconds of an answer, a word every tenth of one
    server.provider.script(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < 20 && !response.destroyed; at++) {
        response.write(chunkText('m', { content: `word${at} ` }));
        await pause(100);
      }
      if (!response.destroyed) response.end(`${chunkText('m', {}, 'stop')}data: [DONE]\n\n`);
    });
    const begin = (signal?: AbortSignal): Promise<string> =>
      fetch(`${server.server.url}/chats/openAi/chat/completions`, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify({ model: 'm', messages: ASKED }),
        ...(signal === undefined ? {} : { signal }),
      }).then((answer) => answer.text());
    const alone = await slowMs(server);
    await Promise.all(Array.from({ length: COUNT }, () => begin()));
    const before = ownBytes(server.server.pid);
    for (let round = 0; round < ROUNDS; round++) {
      const all = Promise.all(Array.from({ length: COUNT }, () => begin()));
      await expect.poll(() => server.provider.openCount, { timeout: 120_000 }).toBeGreaterThan(COUNT / 2);
      const beside = await slowMs(server);
      for (const text of await all) expect(text).toContain('data: [DONE]');
      console.log(`searches: ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside ${COUNT} conversations`);
      // the machine is shared with the provider and with all the clients: a bound against standing still, not a measure
      expect(beside).toBeLessThan(1_000 + 20 * alone);
    }
    expect(ownBytes(server.server.pid) - before).toBeLessThan(100_000_000);

    const control = new AbortController();
    const left = Array.from({ length: COUNT }, () => begin(control.signal).catch(() => 'left'));
    await expect.poll(() => server.provider.openCount, { timeout: 120_000 }).toBeGreaterThan(COUNT / 2);
    control.abort();
    await Promise.all(left);
    await expect.poll(() => server.provider.openCount, { timeout: 120_000, interval: 50 }).toBe(0);
    expect(await server.call('GET', '/health')).toMatchObject({ status: 200 });
  });
});

import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterEach, describe, expect, test } from 'vitest';
import { ASKED, ChatProcess, MASTER_KEY } from './in-server/chat-server.test-support.js';
import { chunkText } from './in-server/provider.test-support.js';

let chat: ChatProcess | undefined;
afterEach(() => chat?.stop());

const PATIENT = { timeout: 120_000 };
const COUNT = 200;
/** Searches beside them, one after the other. */
const SEARCH_COUNT = 40;
const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}` };

describe.skipIf(!isBuilt)('many conversations at once', () => {
  test('let searches go on, come to their ends, and leave nothing open when their clients leave', async () => {
    const server = new ChatProcess();
    chat = server;
    await server.start();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    // some words of an answer, and the others when the test says so
    server.provider.script(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < 10; at++) response.write(chunkText('m', { content: `word${at} ` }));
      await finished;
      if (response.destroyed) return;
      for (let at = 10; at < 20; at++) response.write(chunkText('m', { content: `word${at} ` }));
      response.end(`${chunkText('m', {}, 'stop')}data: [DONE]\n\n`);
    });
    const begin = (signal?: AbortSignal): Promise<string> =>
      fetch(`${server.server.url}/chats/openAi/chat/completions`, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify({ model: 'm', messages: ASKED }),
        ...(signal === undefined ? {} : { signal }),
      }).then((answer) => answer.text());
    const openCount = (): number => server.provider.openCount;
    const all = Promise.all(Array.from({ length: COUNT }, () => begin()));
    await expect.poll(openCount, PATIENT).toBe(COUNT);
    for (let at = 0; at < SEARCH_COUNT; at++)
      expect((await server.call('POST', '/indexes/movies/search', { q: `harbour ${at}` })).status).toBe(200);
    // none of them has waited for a conversation
    expect(openCount()).toBe(COUNT);
    finish();
    for (const text of await all) expect(text).toContain('data: [DONE]');
    await expect.poll(openCount, PATIENT).toBe(0);

    // these are never finished
    server.provider.script(
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    );
    const control = new AbortController();
    const left = Array.from({ length: COUNT }, () => begin(control.signal).catch(() => 'left'));
    await expect.poll(openCount, PATIENT).toBe(COUNT);
    control.abort();
    await Promise.all(left);
    await expect.poll(openCount, PATIENT).toBe(0);
    expect(await server.call('GET', '/health')).toMatchObject({ status: 200 });
  });
});

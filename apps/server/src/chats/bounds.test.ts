import { afterEach, expect, test } from 'vitest';
import { ChatServer, MASTER_KEY, SPECIAL_TOOLS, search } from './chat-server.test-support.js';
import { chunkText } from './provider.test-support.js';

let chat = new ChatServer();
afterEach(() => chat.stop());
async function start(...options: string[]): Promise<void> {
  chat = new ChatServer();
  await chat.start(options);
}
const sourcesOf = async (): Promise<unknown[]> => {
  chat.provider.script({ calls: [search('c', 'harbour')] }, { text: 'Well.' });
  const { calls } = await chat.stream('openAi', { tools: SPECIAL_TOOLS.slice(2) });
  return calls[0]!.arguments.documents;
};

test('a search gives the model no more documents than the operator says, whatever its index says', async () => {
  await start('--chat-max-documents', '1');
  expect(await sourcesOf()).toHaveLength(1);
}, 60_000);

test('texts that are too much are left out, and so are their documents', async () => {
  await start('--chat-max-text-size', '60');
  const documents = await sourcesOf();
  expect(documents).toHaveLength(1);
  const { content } = chat.provider.sent[1]!.body.messages.at(-1);
  expect(Buffer.byteLength(content)).toBeLessThan(60);
}, 60_000);

test('a conversation ends with its time, and others are refused when there are too many', async () => {
  // long enough for a busy machine to come by within the first one
  await start('--chat-timeout', '5', '--chat-max-conversations', '1', '--chat-provider-timeout', '60');
  chat.provider.script((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunkText('m', { content: 'Be' }));
  });
  const first = chat.stream('openAi', {});
  await expect.poll(() => chat.provider.openCount, { timeout: 30_000, interval: 10 }).toBe(1);
  expect(await chat.whole('openAi', {})).toMatchObject({ status: 503, body: { code: 'too_many_search_requests' } });
  expect((await first).error.error.code).toBe('remote_timeout');
  await expect.poll(() => chat.provider.openCount, { timeout: 30_000 }).toBe(0);
  chat.provider.script({ text: 'Yes.' });
  expect((await chat.stream('openAi', {})).content).toBe('Yes.');
}, 60_000);

test('a server that stops ends its conversations, and waits for none', async () => {
  await start();
  chat.provider.script((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunkText('m', { content: 'Be' }));
  });
  let heard = '';
  const open = chat.stream('openAi', {}, MASTER_KEY, (text) => {
    heard = text;
  });
  await expect.poll(() => heard, { timeout: 30_000 }).toContain('Be');
  // the provider never ends its answer: were it waited for, this test would not end
  expect(await chat.server.stop()).toBe(0);
  const { content, isDone, error } = await open;
  expect([content, isDone, error.type]).toEqual(['Be', false, 'error']);
}, 60_000);

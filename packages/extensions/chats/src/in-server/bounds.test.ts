import { afterEach, expect, test } from 'vitest';
import { ChatServer, MASTER_KEY, SPECIAL_TOOLS, search } from './chat-server.test-support.js';
import { chunkText } from './provider.test-support.js';

const PATIENT = { timeout: 30_000, interval: 10 };

let chat: ChatServer;
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
});

test('texts that are too much are left out, and so are their documents', async () => {
  await start('--chat-max-text-size', '60');
  const documents = await sourcesOf();
  expect(documents).toHaveLength(1);
  const { content } = chat.provider.sent[1]!.body.messages.at(-1);
  expect(Buffer.byteLength(content)).toBeLessThan(60);
});

test('more conversations than there may be are refused, and none once one has ended', async () => {
  await start('--chat-max-conversations', '1');
  let end = (): void => undefined;
  chat.provider.script((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunkText('m', { content: 'Be' }));
    end = () => void response.end(`${chunkText('m', {}, 'stop')}data: [DONE]\n\n`);
  });
  const first = chat.stream('openAi', {});
  await expect.poll(() => chat.provider.openCount, PATIENT).toBe(1);
  expect(await chat.whole('openAi', {})).toMatchObject({ status: 503, body: { code: 'too_many_search_requests' } });
  end();
  expect(await first).toMatchObject({ content: 'Be', isDone: true });
  chat.provider.script({ text: 'Yes.' });
  // the client may know of the end before the count does
  await expect.poll(async () => (await chat.stream('openAi', {})).content, PATIENT).toBe('Yes.');
});

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
  await expect.poll(() => heard, PATIENT).toContain('Be');
  // the provider never ends its answer: were it waited for, this test would not end
  expect(await chat.server.stop()).toBe(0);
  const { content, isDone, error } = await open;
  expect([content, isDone, error.type]).toEqual(['Be', false, 'error']);
});

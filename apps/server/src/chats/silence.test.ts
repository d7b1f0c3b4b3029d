import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause } from '../e2e/server-process.test-support.js';
import { ASKED, ChatServer, MASTER_KEY, search } from './chat-server.test-support.js';
import { chunkText, type Turn } from './provider.test-support.js';

const chat = new ChatServer();
beforeAll(() => chat.start(['--chat-keep-alive', '1', '--chat-provider-timeout', '4']), 60_000);
afterAll(() => chat.stop());

const STREAM = { 'content-type': 'text/event-stream' };
const COMMENT = ': keep-alive\n\n';
/** Says something, and the rest of it after this many milliseconds. */
const slow =
  (beginning: string, milliseconds: number): Turn =>
  async (response) => {
    response.writeHead(200, STREAM).flushHeaders();
    if (beginning !== '') response.write(chunkText('m', { content: beginning }));
    await pause(milliseconds);
    if (!response.destroyed) response.end(`${chunkText('m', { content: 'end.' }, 'stop')}data: [DONE]\n\n`);
  };

describe('a long silence of a stream is filled with comments', () => {
  test('in its middle', async () => {
    chat.provider.script(slow('Begin, ', 2_600));
    const { content, raw, isDone } = await chat.stream('openAi', {});
    expect([content, isDone]).toEqual(['Begin, end.', true]);
    expect(raw).toContain(COMMENT);
    expect(raw.indexOf('Begin')).toBeLessThan(raw.indexOf(COMMENT));
  });

  test('before its first piece, and between two rounds', async () => {
    chat.provider.script(slow('', 1_500));
    const { status, headers, raw, content } = await chat.stream('openAi', {});
    expect([status, headers.get('content-type'), content]).toEqual([200, 'text/event-stream', 'end.']);
    expect(raw.startsWith(COMMENT)).toBe(true);
    chat.provider.script({ text: 'So. ', calls: [search('a', 'harbour')] }, slow('', 1_500));
    const second = await chat.stream('openAi', {});
    expect(second.content).toBe('So. end.');
    expect(second.raw.indexOf('So.')).toBeLessThan(second.raw.indexOf(COMMENT));
  });

  test('and an error after them is an event', async () => {
    chat.provider.script(() => undefined);
    const { status, raw, error, isDone } = await chat.stream('openAi', {});
    expect([status, error.error.code, isDone]).toEqual([200, 'remote_timeout', false]);
    expect(raw.startsWith(COMMENT)).toBe(true);
  });

  test('which clients skip, and no whole answer has', async () => {
    chat.provider.script(slow('Begin, ', 1_500));
    const client = new OpenAI({ apiKey: MASTER_KEY, baseURL: `${chat.server.url}/chats/openAi`, maxRetries: 0 });
    const asked = { model: 'gpt-4o', messages: ASKED as OpenAI.ChatCompletionMessageParam[] };
    expect(await client.chat.completions.stream(asked).finalContent()).toBe('Begin, end.');
    chat.provider.script(slow('Begin, ', 1_500));
    const { body } = await chat.whole('openAi', {});
    expect(body.choices[0].message.content).toBe('Begin, end.');
  });

  test('but a stream that goes on has none', async () => {
    chat.provider.script(async (response) => {
      response.writeHead(200, STREAM);
      for (let at = 0; at < 8; at++) {
        response.write(chunkText('m', { content: 'word ' }));
        await pause(200);
      }
      response.end(`${chunkText('m', {}, 'stop')}data: [DONE]\n\n`);
    });
    // a machine that stands still for a second sends one
    expect((await chat.stream('openAi', {})).raw.split(COMMENT).length).toBeLessThanOrEqual(3);
  });
});

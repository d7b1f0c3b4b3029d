import { pause } from '@fossick/server/e2e/server-process.test-support';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  ASKED,
  ChatProcess,
  MASTER_KEY,
  PROVIDER_KEY,
  type Streamed,
  search,
} from './in-server/chat-server.test-support.js';
import { chunkText, type Turn } from './in-server/provider.test-support.js';

const STREAM = { 'content-type': 'text/event-stream' };
const COMMENT = ': keep-alive\n\n';
const PATIENT = { timeout: 60_000, interval: 10 };

/** What the client of a stream has received so far. */
let heard = '';
const listen = (text: string): void => {
  heard = text;
};
const stream = (chat: ChatProcess, body: object = {}): Promise<Streamed> => {
  heard = '';
  return chat.stream('openAi', body, MASTER_KEY, listen);
};
const hasCommentAfter = (text: string): boolean => {
  const at = heard.indexOf(text);
  return at >= 0 && heard.indexOf(COMMENT, at) >= 0;
};
/** Says something, and the rest of it when the client of the stream has got a comment after this text. */
const slow =
  (beginning: string, text = beginning): Turn =>
  async (response) => {
    response.writeHead(200, STREAM).flushHeaders();
    if (beginning !== '') response.write(chunkText('m', { content: beginning }));
    while (!response.destroyed && !hasCommentAfter(text)) await pause(10);
    if (!response.destroyed) response.end(`${chunkText('m', { content: 'end.' }, 'stop')}data: [DONE]\n\n`);
  };

describe('a long silence of a stream is filled with comments', () => {
  const chat = new ChatProcess();
  beforeAll(() => chat.start(['--chat-keep-alive', '1', '--chat-provider-timeout', '60']));
  afterAll(() => chat.stop());

  test('in its middle', async () => {
    chat.provider.script(slow('Begin, '));
    const { content, raw, isDone } = await stream(chat);
    expect([content, isDone]).toEqual(['Begin, end.', true]);
    expect(raw.slice(raw.indexOf('Begin'))).toContain(COMMENT);
  });

  test('before its first piece, and between two rounds', async () => {
    chat.provider.script(slow(''));
    const { status, headers, raw, content } = await stream(chat);
    expect([status, headers.get('content-type'), content]).toEqual([200, 'text/event-stream', 'end.']);
    expect(raw.startsWith(COMMENT)).toBe(true);
    chat.provider.script({ text: 'So. ', calls: [search('a', 'harbour')] }, slow('', 'So.'));
    const second = await stream(chat);
    expect(second.content).toBe('So. end.');
    expect(second.raw.slice(second.raw.indexOf('So.'))).toContain(COMMENT);
  });

  test('which clients skip, and no whole answer has', async () => {
    const listening: typeof fetch = async (url, init) => {
      heard = '';
      const answer = await fetch(url, init);
      const decoder = new TextDecoder();
      const heardAs = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, output) {
          heard += decoder.decode(bytes, { stream: true });
          output.enqueue(bytes);
        },
      });
      return new Response(answer.body!.pipeThrough(heardAs), answer);
    };
    const own = { apiKey: MASTER_KEY, baseURL: `${chat.server.url}/chats/openAi`, maxRetries: 0, fetch: listening };
    const asked = { model: 'gpt-4o', messages: ASKED as OpenAI.ChatCompletionMessageParam[] };
    chat.provider.script(slow('Begin, '));
    expect(await new OpenAI(own).chat.completions.stream(asked).finalContent()).toBe('Begin, end.');
    expect(heard).toContain(COMMENT);
    // a stream that begins later has its comment: a whole answer would have had one, too
    heard = '';
    chat.provider.script(slow('Begin, '), slow('Begin, '));
    const whole = chat.whole('openAi', {});
    await expect.poll(() => chat.provider.openCount, PATIENT).toBe(1);
    expect((await stream(chat)).raw).toContain(COMMENT);
    expect((await whole).body.choices[0].message.content).toBe('Begin, end.');
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
    expect((await stream(chat)).raw.split(COMMENT).length).toBeLessThanOrEqual(3);
  });
});

describe('a conversation', () => {
  let chat: ChatProcess;
  afterEach(() => chat.stop());
  const start = async (...options: string[]): Promise<void> => {
    chat = new ChatProcess();
    await chat.start(options);
  };

  test('whose provider is silent is an error with a status', async () => {
    await start('--chat-provider-timeout', '2');
    for (const turn of [
      () => undefined,
      (response) => void response.writeHead(200, STREAM).flushHeaders(),
    ] satisfies Turn[]) {
      chat.provider.script(turn);
      const answers = await Promise.all([true, false].map((stream) => chat.whole('openAi', { stream })));
      for (const { status, body } of answers) {
        expect([status, body.code]).toEqual([502, 'remote_timeout']);
        expect(JSON.stringify(body)).not.toContain(PROVIDER_KEY);
      }
    }
  });

  test('whose provider falls silent in the middle of an answer is an error event, and then the end', async () => {
    await start('--chat-provider-timeout', '2');
    chat.provider.script((response) => {
      response.writeHead(200, STREAM);
      response.write(chunkText('m', { role: 'assistant', content: 'Be' }));
    });
    const { status, content, error, isDone, raw } = await stream(chat);
    expect([status, content, isDone]).toEqual([200, 'Be', false]);
    expect(error).toMatchObject({
      type: 'error',
      event_id: expect.any(String),
      error: { code: 'remote_timeout', message: expect.any(String) },
    });
    expect(raw).not.toContain(PROVIDER_KEY);
  });

  test('whose provider is silent for longer than a client is has an error event after the comments', async () => {
    await start('--chat-keep-alive', '1', '--chat-provider-timeout', '4');
    chat.provider.script(() => undefined);
    const { status, raw, error, isDone } = await stream(chat);
    expect([status, error.error.code, isDone]).toEqual([200, 'remote_timeout', false]);
    expect(raw.startsWith(COMMENT)).toBe(true);
  });

  test('ends with its time, and others are refused when there are too many', async () => {
    // long enough for a busy machine to come by within the first one
    await start('--chat-timeout', '5', '--chat-max-conversations', '1', '--chat-provider-timeout', '60');
    chat.provider.script((response) => {
      response.writeHead(200, STREAM);
      response.write(chunkText('m', { content: 'Be' }));
    });
    const first = stream(chat);
    await expect.poll(() => chat.provider.openCount, PATIENT).toBe(1);
    expect(await chat.whole('openAi', {})).toMatchObject({ status: 503, body: { code: 'too_many_search_requests' } });
    expect((await first).error.error.code).toBe('remote_timeout');
    await expect.poll(() => chat.provider.openCount, PATIENT).toBe(0);
    chat.provider.script({ text: 'Yes.' });
    expect((await stream(chat)).content).toBe('Yes.');
  });
});

import { createHmac } from 'node:crypto';
import { endingRights, KEY_UID } from '@fossick/server/streams/ending-rights.test-support';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChatServer, readStream, search } from './chat-server.test-support.js';
import { chunkText } from './provider.test-support.js';

afterEach(() => void vi.useRealTimers());

describe('a conversation', () => {
  const chat = new ChatServer();
  const FEATURES = { chatCompletions: true } as const;
  const { newKey, deleteKey, ends, restored } = endingRights(chat, FEATURES, ['chatCompletions', 'search']);

  beforeAll(async () => {
    await chat.start();
    await chat.call('PATCH', '/experimental-features', FEATURES);
  });
  afterAll(() => chat.stop());

  /** A turn of the model that begins, tells that it has, and writes on when it is told to. */
  function heldTurn() {
    let begun = (): void => undefined;
    let goOn = (): void => undefined;
    const began = new Promise<void>((resolve) => {
      begun = resolve;
    });
    chat.provider.script((response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write(chunkText('gpt-4o', { role: 'assistant', content: 'I begin. ' }));
      goOn = () => response.write(chunkText('gpt-4o', { content: 'Secret rest.' }));
      begun();
    });
    return { began, goOn: () => goOn() };
  }
  function tokenOf(key: string, claims: object): string {
    const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64({ apiKeyUid: KEY_UID, searchRules: ['*'], ...claims })}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  }

  const ask = (bearer: string): Promise<Response> =>
    fetch(`${chat.server.url}/chats/openAi/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Well?' }] }),
    });

  it.each(
    ends.flatMap((each) => [
      { ...each, isToken: false },
      { ...each, isToken: true },
    ]),
  )('a conversation ends when $when (token: $isToken)', async ({ end, code, isToken }) => {
    const key = await newKey();
    const turn = heldTurn();
    const answer = await ask(isToken ? tokenOf(key, {}) : key);
    await turn.began;
    await end();
    turn.goOn();
    const { error, content } = readStream(answer.status, answer.headers, await answer.text());
    expect([error?.error.code, content]).toEqual([code, 'I begin. ']);
    await expect.poll(() => chat.provider.openCount, { timeout: 30_000, interval: 5 }).toBe(0);
    await restored();
  });

  it('a conversation ends when its token expires', async () => {
    const key = await newKey();
    const turn = heldTurn();
    const token = tokenOf(key, { exp: Math.floor(Date.now() / 1000) + 60 });
    const answer = await ask(token);
    await turn.began;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    turn.goOn();
    const { error, content } = readStream(answer.status, answer.headers, await answer.text());
    expect([error?.error.code, content]).toEqual(['invalid_api_key', 'I begin. ']);
    await restored();
  });

  it('a whole answer becomes the error, and no search is made any more', async () => {
    const key = await newKey();
    chat.provider.script(
      async (response, { body }) => {
        await deleteKey();
        chat.provider.answer(response, body, { calls: [search('c', 'harbour')] });
      },
      { text: 'Never.' },
    );
    expect(await chat.whole('openAi', {}, key)).toMatchObject({ status: 403, body: { code: 'invalid_api_key' } });
    expect(chat.provider.sent).toHaveLength(1);
    await restored();
  });
});

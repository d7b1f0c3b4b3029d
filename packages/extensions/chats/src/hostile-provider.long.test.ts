/** Answers of providers of conversations that are large or of very many small parts: a search and /health go on meanwhile. */

import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { expectShortWaits } from '@fossick/server/reliability/probe.test-support';
import { startSender } from '@fossick/server/reliability/sender.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASKED, ChatProcess, MASTER_KEY } from './in-server/chat-server.test-support.js';

const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}` };
const sse = (pieces: readonly object[]): string =>
  `${pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('')}data: [DONE]\n\n`;
const choice = (delta: object): object => ({ choices: [{ index: 0, delta }] });
const piecesOf = (count: number, piece: (i: number) => object): object[] =>
  Array.from({ length: count }, (_, i) => piece(i));
const callPiece = (i: number, more: object = {}): object =>
  choice({
    tool_calls: [{ index: 0, ...(i === 0 ? { id: 'c' } : {}), function: { name: 'f', arguments: 'x' }, ...more }],
  });
const LOGPROB = { token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] };

/** Answers of a provider that took seconds of the thread that speaks HTTP, each and what a client gets that wants one object. */
const HOSTILE: readonly (readonly [name: string, answer: () => string, told: string])[] = [
  ['15 MB of lists', () => `{"choices":[${'[],'.repeat(5_000_000)}[]]}`, 'more than 200000 values'],
  ['the same in an event', () => `data: {"choices":[${'[],'.repeat(5_000_000)}[]]}\n\n`, 'more than 200000 values'],
  ['15 MB of numbers', () => `{"choices":[],"n":[${'1,'.repeat(7_500_000)}1]}`, 'more than 200000 values'],
  ['deep lists', () => `{"choices":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`, 'no chat completion'],
  ['150,000 pieces of one call', () => sse(piecesOf(150_000, (i) => callPiece(i))), 'chat.completion'],
  [
    'a call of 100,000 members',
    () => sse(piecesOf(100_000, (i) => callPiece(i, { [`m${i}`]: 1 }))),
    'more than 256 members',
  ],
  [
    'a usage of 100,000 members',
    () => sse(piecesOf(100_000, (i) => ({ choices: [], usage: { [`m${i}`]: 1 } }))),
    'more than 256 members',
  ],
  [
    'a usage of 100,000 members at once',
    () => sse([{ choices: [], usage: Object.fromEntries(piecesOf(100_000, () => ({})).map((_, i) => [`m${i}`, 1])) }]),
    'more than 256 members',
  ],
  [
    '100,000 pieces of probabilities',
    () =>
      sse(
        piecesOf(100_000, () => ({
          choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null, logprobs: { content: [LOGPROB] } }],
        })),
      ),
    'chat.completion',
  ],
  [
    '100,000 members of a message',
    () => sse(piecesOf(100_000, (i) => ({ ...choice({ [`m${i}`]: 1 }), [`o${i}`]: 1 }))),
    'more than 256 members',
  ],
];

describe.skipIf(!isBuilt)('a hostile provider', () => {
  const chat = new ChatProcess();
  let url: string;
  beforeAll(async () => {
    await chat.start();
    url = `${chat.server.url}/chats/openAi/chat/completions`;
  }, 60_000);
  afterAll(() => chat.stop());

  const bodyOf = (stream: boolean): string =>
    JSON.stringify({ model: 'm', messages: ASKED, stream, tools: [{ type: 'function', function: { name: 'f' } }] });

  test.each(HOSTILE)('holds up nobody with %s', { timeout: 240_000 }, async (_, answer, told) => {
    const text = answer();
    chat.provider.script((response) => {
      response.writeHead(200, { 'content-type': text.startsWith('data:') ? 'text/event-stream' : 'application/json' });
      response.end(text);
    });
    for (const stream of [true, false])
      await expectShortWaits(chat.server, async () => {
        const go = await startSender(url, 'POST', bodyOf(stream), HEADERS);
        return async () => expect([200, 502]).toContain(await go());
      });
    const whole = await fetch(url, { method: 'POST', headers: HEADERS, body: bodyOf(false) });
    expect((await whole.text()).slice(0, 2_000)).toContain(told);
  });

  test('holds up nobody with a request of 10 MB of lists and names', { timeout: 240_000 }, async () => {
    const names = Array.from({ length: 80_000 }, (_, i) => `{"\\ud83d\\ude00${i}":1}`).join(',');
    const body = `{"model":"m","messages":[${names},"\\ud83d\\ude00",${'1,'.repeat(3_000_000)}1]}`;
    await expectShortWaits(chat.server, async () => {
      const go = await startSender(url, 'POST', body, HEADERS);
      return async () => expect(await go()).toBe(413);
    });
  });
});

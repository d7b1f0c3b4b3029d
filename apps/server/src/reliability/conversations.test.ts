import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { ASKED, ChatServer, MASTER_KEY } from '../chats/chat-server.test-support.js';
import { chunkText } from '../chats/provider.test-support.js';
import { pause } from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { expectShortWaits } from './probe.test-support.js';
import { rounds } from './rounds.test-support.js';

let chat: ChatServer | undefined;
afterEach(() => chat?.stop());

const COUNT = 200;
/** Searches that are timed, one after the other. */
const SEARCH_COUNT = 40;
const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}` };

/** Memory of a process that is no file's, in bytes; Linux only. */
function ownBytes(pid: number): number {
  return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}
/** The slowest of them, in milliseconds. */
async function slowMs(server: ChatServer): Promise<number> {
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
  test('let searches go on, keep memory flat, and leave nothing open when their clients leave', async () => {
    const server = new ChatServer();
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
    for (let round = 0; round < rounds(1, 10); round++) {
      const all = Promise.all(Array.from({ length: COUNT }, () => begin()));
      await expect.poll(() => server.provider.openCount, { timeout: 10_000 }).toBeGreaterThan(COUNT / 2);
      const beside = await slowMs(server);
      for (const text of await all) expect(text).toContain('data: [DONE]');
      console.log(`searches: ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside ${COUNT} conversations`);
      // the machine is shared with the provider and with all the clients: a bound against standing still, not a measure
      expect(beside).toBeLessThan(1_000 + 20 * alone);
    }
    expect(ownBytes(server.server.pid) - before).toBeLessThan(100_000_000);

    const control = new AbortController();
    const left = Array.from({ length: COUNT }, () => begin(control.signal).catch(() => 'left'));
    await expect.poll(() => server.provider.openCount, { timeout: 10_000 }).toBeGreaterThan(COUNT / 2);
    control.abort();
    await Promise.all(left);
    await expect.poll(() => server.provider.openCount, { timeout: 1_500, interval: 50 }).toBe(0);
    expect(await server.call('GET', '/health')).toMatchObject({ status: 200 });
  }, 120_000);
});

const sse = (pieces: readonly object[]): string =>
  `${pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('')}data: [DONE]\n\n`;
const choice = (delta: object): object => ({ choices: [{ index: 0, delta, finish_reason: null }] });
const piecesOf = (count: number, piece: (i: number) => object): object[] =>
  Array.from({ length: count }, (_, i) => piece(i));
const callPiece = (i: number, more: object = {}): object =>
  choice({
    tool_calls: [{ index: 0, ...(i === 0 ? { id: 'c' } : {}), function: { name: 'f', arguments: 'x' }, ...more }],
  });
const LOGPROB = { token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] };

/** Answers of a provider that took seconds of the thread that speaks HTTP, each with what the client is told. */
const HOSTILE: readonly (readonly [name: string, answer: () => string, told: string])[] = [
  ['15 MB of lists', () => `{"choices":[${'[],'.repeat(5_000_000)}[]]}`, 'more than 200000 values'],
  ['the same in an event', () => `data: {"choices":[${'[],'.repeat(5_000_000)}[]]}\n\n`, 'more than 200000 values'],
  ['15 MB of numbers', () => `{"choices":[],"n":[${'1,'.repeat(7_500_000)}1]}`, 'more than 200000 values'],
  ['deep lists', () => `{"choices":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`, 'no chat completion'],
  ['150,000 pieces of one call', () => sse(piecesOf(150_000, (i) => callPiece(i))), 'DONE'],
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
    'DONE',
  ],
  [
    '100,000 members of a message',
    () => sse(piecesOf(100_000, (i) => ({ ...choice({ [`m${i}`]: 1 }), [`o${i}`]: 1 }))),
    'DONE',
  ],
];

describe.skipIf(!isBuilt)('a hostile provider', () => {
  test.each(HOSTILE)(
    'holds up nobody with %s',
    async (_, answer, told) => {
      const server = new ChatServer();
      chat = server;
      await server.start();
      const text = answer();
      server.provider.script((response) => {
        response.writeHead(200, {
          'content-type': text.startsWith('data:') ? 'text/event-stream' : 'application/json',
        });
        response.end(text);
      });
      for (const stream of [true, false]) {
        const body = { model: 'm', messages: ASKED, stream, tools: [{ type: 'function', function: { name: 'f' } }] };
        await expectShortWaits(server.server, async () => async () => {
          const { startSender } = await import('./sender.test-support.js');
          const status = await (
            await startSender(
              `${server.server.url}/chats/openAi/chat/completions`,
              'POST',
              JSON.stringify(body),
              HEADERS,
            )
          )();
          expect(status).toBeLessThan(stream ? 201 : 503);
        });
        const whole = await fetch(`${server.server.url}/chats/openAi/chat/completions`, {
          method: 'POST',
          headers: HEADERS,
          body: JSON.stringify(body),
        });
        const said = await whole.text();
        if (told === 'DONE') expect([whole.status, said.length > 100]).toEqual([200, true]);
        else expect(said).toContain(told);
      }
    },
    120_000,
  );
});

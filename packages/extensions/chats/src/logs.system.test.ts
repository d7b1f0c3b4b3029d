import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatProcess, MASTER_KEY, search } from './in-server/chat-server.test-support.js';
import { chunkText, type Turn } from './in-server/provider.test-support.js';

/** One that JSON writes in another way than it is. */
const SECRET = 'sk-"odd"\\key-of-the-workspace';
const IN_JSON = JSON.stringify(SECRET).slice(1, -1);
const PATIENT = { timeout: 60_000, interval: 10 };
const chat = new ChatProcess();
beforeAll(() => chat.start(['--log-level', 'TRACE', '--chat-provider-timeout', '1']));
afterAll(() => chat.stop());

const STREAM = { 'content-type': 'text/event-stream' };
const ECHOES: readonly Turn[] = [
  { text: 'Yes.' },
  { calls: [search('c', 'harbour')] },
  (response) => void response.writeHead(401).end(JSON.stringify({ error: { message: `no ${SECRET}`, type: SECRET } })),
  (response) => void response.writeHead(422).end(JSON.stringify({ detail: [{ msg: { key: SECRET } }] })),
  (response) => void response.writeHead(500).end(`plain ${SECRET} and ${IN_JSON}`),
  (response) => void response.writeHead(302, { location: `http://127.0.0.1:9/?key=${encodeURIComponent('sk')}` }).end(),
  (response) => void response.writeHead(200, STREAM).end(`data: ${SECRET}\n\n`),
  (response) => void response.writeHead(200, STREAM).end(`data: ${JSON.stringify({ choices: SECRET })}\n\n`),
  (response) =>
    void response
      .writeHead(200, STREAM)
      .end(`${chunkText('m', { content: 'Be' })}data: ${JSON.stringify({ error: SECRET })}\n\n`),
  (response) => void response.destroy(),
  () => undefined,
];

test('keys are in no log, at its widest level, and in no answer, whatever a provider says of them', async () => {
  const admin = { authorization: `Bearer ${MASTER_KEY}` };
  await chat.call('PATCH', '/experimental-features', { logsRoute: true });
  const listening = new AbortController();
  let lines = '';
  const reading = (async () => {
    // answered with its first line
    const log = await fetch(`${chat.server.url}/logs/stream`, {
      method: 'POST',
      headers: { ...admin, 'content-type': 'application/json' },
      body: JSON.stringify({ target: 'trace', mode: 'json' }),
      signal: listening.signal,
    });
    const decoder = new TextDecoder();
    for await (const bytes of log.body!) lines += decoder.decode(bytes, { stream: true });
  })().catch(() => undefined);
  /** Sends requests until the log tells of one. */
  const logged = (name: string): Promise<void> =>
    expect
      .poll(async () => {
        await chat.call('GET', `/indexes/${name}`);
        return lines;
      }, PATIENT)
      .toContain(name);
  await logged('the-first-one');
  const answers: string[] = [];
  for (const source of ['openAi', 'azureOpenAi', 'gemini'] as const) {
    await chat.workspace('secret', source, { apiKey: SECRET });
    for (const turn of ECHOES)
      for (const stream of [true, false]) {
        chat.provider.script(turn);
        if (stream) answers.push((await chat.stream('secret', {})).raw);
        else answers.push(JSON.stringify((await chat.whole('secret', {})).body));
      }
  }
  answers.push(JSON.stringify((await chat.call('GET', '/chats/secret/settings')).body));
  await logged('the-last-one');
  expect(lines).toContain('chat/completions');
  listening.abort();
  await reading;
  expect(chat.provider.sent.length).toBeGreaterThan(0);
  for (const text of [...answers, lines, chat.server.output()])
    for (const key of [SECRET, IN_JSON, MASTER_KEY]) expect(text).not.toContain(key);
});

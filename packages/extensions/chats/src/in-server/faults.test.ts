import { pause } from '@fossick/server/e2e/server-process.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASKED, ChatServer, MASTER_KEY, PROVIDER_KEY, SOURCES, search } from './chat-server.test-support.js';
import { chunkText, type Loose, type Turn } from './provider.test-support.js';

const chat = new ChatServer();
beforeAll(() => chat.start(['--chat-max-rounds', '3', '--chat-provider-answer-size-limit', '100000']));
afterAll(() => chat.stop());

const refusing =
  (status: number, text: string): Turn =>
  (response) => {
    response.statusCode = status;
    response.end(text);
  };
const ECHO = `{"error":{"message":"no: ${PROVIDER_KEY}","type":"some_type","code":"some_code","param":"model"}}`;
const STREAM = { 'content-type': 'text/event-stream' };
const begin = (response: Loose): void => {
  response.writeHead(200, STREAM);
  response.write(chunkText('m', { role: 'assistant', content: 'Be' }));
};

describe.each(SOURCES)('a provider of the source %s', (source) => {
  test.each([
    [401, ECHO, 403, 'remote_invalid_api_key'],
    [403, ECHO, 403, 'remote_invalid_api_key'],
    [429, ECHO, 429, 'remote_too_many_requests'],
    [400, `[${ECHO}]`, 400, 'remote_bad_request'],
    [422, `{"object":"error","message":{"detail":[{"msg":"Extra ${PROVIDER_KEY}"}]}}`, 400, 'remote_bad_request'],
    [500, `oh ${PROVIDER_KEY}`, 502, 'remote_remote_error'],
    [301, '', 502, 'remote_bad_response'],
  ])('that answers %i is reported with a status and an error object, without its key', async (status, text, ours, code) => {
    for (const stream of [true, false]) {
      chat.provider.script(refusing(status, text));
      const answer = await chat.whole(source, { stream });
      expect(answer).toMatchObject({
        status: ours,
        body: { code, message: expect.any(String), link: expect.any(String) },
      });
      expect(JSON.stringify(answer.body)).not.toContain(PROVIDER_KEY);
      expect(chat.provider.sent).toHaveLength(1);
    }
  });
});

const NONSENSE: readonly (readonly [string, Turn, string])[] = [
  ['hangs up', (response) => void response.destroy(), 'remote_could_not_send_request'],
  ['sends no JSON', (response) => void response.writeHead(200, STREAM).end('data: hello\n\n'), 'remote_bad_response'],
  ['sends a page', (response) => void response.end('<html></html>'), 'remote_bad_response'],
  ['sends a list', (response) => void response.writeHead(200, STREAM).end('data: [1]\n\n'), 'remote_bad_response'],
  ['sends nothing', (response) => void response.writeHead(200, STREAM).end(), 'remote_bad_response'],
  [
    'sends too much',
    (response) => void response.writeHead(200, STREAM).end(`: ${'x'.repeat(200_000)}\n\n`),
    'remote_bad_response',
  ],
  [
    'sends an error',
    (response) => void response.writeHead(200, STREAM).end(`data: ${ECHO}\n\n`),
    'remote_remote_error',
  ],
];
test.each(NONSENSE)('a provider that %s is an error with a status', async (_, turn, code) => {
  for (const stream of [true, false]) {
    chat.provider.script(turn);
    const answer = await chat.whole('openAi', { stream });
    expect([answer.status, answer.body.code]).toEqual([502, code]);
    expect(JSON.stringify(answer.body)).not.toContain(PROVIDER_KEY);
  }
});

/** Called with each piece that the client receives. */
let onPiece = (): void => undefined;
/** The first piece of an answer, then this, then the end. */
const beginAndEnd =
  (last = ''): Turn =>
  (response) => {
    begin(response);
    response.end(last);
  };
const MIDDLE: readonly (readonly [string, Turn, string])[] = [
  [
    'hangs up',
    (response) => {
      begin(response);
      onPiece = () => void response.destroy();
    },
    'remote_bad_response',
  ],
  ['ends early', beginAndEnd(), 'remote_bad_response'],
  ['sends nonsense', beginAndEnd('data: {"choices":5}\n\n'), 'remote_bad_response'],
  ['sends an error', beginAndEnd(`data: ${ECHO}\n\n`), 'some_code'],
];
describe('in the middle of an answer, a provider that', () => {
  test.each(MIDDLE)('%s is an error event, and then the end', async (_, turn, code) => {
    chat.provider.script(turn);
    const { status, content, error, isDone, raw } = await chat.stream('openAi', {}, MASTER_KEY, () => onPiece());
    expect([status, content, isDone]).toEqual([200, 'Be', false]);
    expect(error).toMatchObject({
      type: 'error',
      event_id: expect.any(String),
      error: { code, message: expect.any(String) },
    });
    expect(raw).not.toContain(PROVIDER_KEY);
  });

  test('refuses the second round is an error after the special calls', async () => {
    chat.provider.script({ text: 'Let me see. ', calls: [search('c', 'harbour')] }, refusing(500, 'down'));
    const { content, error } = await chat.stream('openAi', {});
    expect([content, error.error.code]).toEqual(['Let me see. ', 'remote_remote_error']);
  });
});

describe('what the model has wrong is told to it, and it goes on:', () => {
  test.each([
    ['an unknown index', { index_uid: 'nothing', q: 'a' }, 'no index `nothing`'],
    ['arguments that are no JSON', '{"q": ', 'no JSON'],
    ['arguments that are no object', '[1]', 'object'],
    ['no index', { q: 'a' }, 'index_uid'],
    ['a query that is no text', { index_uid: 'movies', q: 5 }, '`q`'],
    ['a filter that is none', { index_uid: 'movies', q: 'a', filter: 'year >>> 3' }, 'Error'],
    ['a filter by what cannot be filtered', { index_uid: 'movies', q: 'a', filter: 'title = a' }, 'title'],
    ['a filter of a wrong type', { index_uid: 'movies', q: 'a', filter: 5 }, '`filter`'],
  ])('%s', async (_, given, told) => {
    chat.provider.script({ calls: [{ id: 'c', name: '_serviceSearchInIndex', arguments: given }] }, { text: 'Well.' });
    expect((await chat.stream('openAi', {})).content).toBe('Well.');
    const result = chat.provider.sent[1]!.body.messages.at(-1);
    expect(result).toMatchObject({ role: 'tool', tool_call_id: 'c', content: expect.stringContaining(told) });
  });

  test('a function that nobody declared, among others that work', async () => {
    const calls = [{ id: 'a', name: 'delete_all', arguments: {} }, search('b', 'valley')];
    chat.provider.script({ calls }, { text: 'Well.' });
    expect((await chat.stream('openAi', {})).content).toBe('Well.');
    const [first, second] = chat.provider.sent[1]!.body.messages.slice(-2);
    expect(first.content).toContain('no function `delete_all`');
    expect(second.content).toContain('Quiet Valley');
  });

  test('more searches at once than are run', async () => {
    chat.provider.script(
      { calls: Array.from({ length: 20 }, (_, at) => search(`c${at}`, 'harbour')) },
      { text: 'Well.' },
    );
    await chat.stream('openAi', {});
    const results: Loose[] = chat.provider.sent[1]!.body.messages.slice(-20);
    expect(results.filter(({ content }) => content.startsWith('Error')).length).toBe(4);
  });

  test('searches without end: the last round asks for an answer, and there is an error when there is none', async () => {
    chat.provider.script({ calls: [search('c', 'harbour')] });
    const { status, body } = await chat.whole('openAi', { tool_choice: 'required', stream: true });
    expect([status, body.code]).toEqual([502, 'remote_bad_response']);
    expect(chat.provider.sent.map(({ body }) => body.tool_choice)).toEqual(['required', undefined, 'none']);
  });
});

test('a client that goes away ends the request to the provider, which would go on without end', async () => {
  for (const stream of [true, false]) {
    chat.provider.script(async (response) => {
      response.writeHead(200, STREAM);
      while (!response.destroyed) {
        response.write(chunkText('m', { content: 'word ' }));
        await pause(50);
      }
    });
    const control = new AbortController();
    const sent = fetch(`${chat.server.url}/chats/openAi/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}` },
      body: JSON.stringify({ model: 'm', messages: ASKED, stream }),
      signal: control.signal,
    });
    sent.catch(() => undefined);
    await expect.poll(() => chat.provider.openCount, { timeout: 30_000, interval: 10 }).toBe(1);
    control.abort();
    await expect.poll(() => chat.provider.openCount, { timeout: 30_000, interval: 10 }).toBe(0);
  }
});

test('a provider on a private network is not asked unless the operator opens it', async () => {
  chat.provider.script({ text: 'Yes.' });
  for (const host of ['10.0.0.1', '[::1]', '127.0.0.2']) {
    await chat.workspace('closed', 'openAi', { baseUrl: `http://${host}:9/` });
    const { status, body } = await chat.whole('closed', {});
    expect([status, body.code]).toEqual([502, 'remote_could_not_send_request']);
    expect(body.message).toContain('private network');
  }
});

import { type Provider, restEmbedder, startProvider } from '@fossick/server/embedding/provider.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatServer, search } from './chat-server.test-support.js';
import type { Loose } from './provider.test-support.js';

const chat = new ChatServer();
let embedder: Provider;
beforeAll(async () => {
  embedder = await startProvider();
  await chat.start();
});
afterAll(async () => {
  await chat.stop();
  await embedder.close();
});

describe('Mistral, which refuses members that it does not know,', () => {
  const given = { max_completion_tokens: 50, seed: 7, stream_options: { include_usage: true }, temperature: 0.1 };

  test.each([true, false])('gets its own names of them, and not the others (stream %s)', async (stream) => {
    chat.provider.dialect = 'mistral';
    chat.provider.script({ calls: [search('call00001', 'harbour')] }, { text: 'Two.' });
    await chat.whole('mistral', { ...given, stream }).catch(() => undefined); // a stream is no JSON
    expect(chat.provider.sent).toHaveLength(2);
    for (const { body } of chat.provider.sent) {
      expect(body).toMatchObject({ max_tokens: 50, random_seed: 7, temperature: 0.1 });
      for (const name of ['max_completion_tokens', 'seed', 'stream_options']) expect(body).not.toHaveProperty(name);
    }
  });

  test('tells what was used without being asked, and the client that asked has it', async () => {
    chat.provider.dialect = 'mistral';
    chat.provider.script({ text: 'Two.' });
    const { chunks } = await chat.stream('mistral', given);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
  });

  test('other sources get them as they are', async () => {
    chat.provider.dialect = 'openAi';
    for (const source of ['openAi', 'azureOpenAi', 'gemini', 'vLlm']) {
      chat.provider.script({ text: 'Two.' });
      await chat.stream(source, given);
      expect(chat.provider.sent[0]!.body).toMatchObject(given);
    }
  });
});

describe('Gemini, which signs its calls,', () => {
  const signed = (id: string): object => ({ google: { thought_signature: `s-${id}` } });

  test.each([true, false])('gets the signatures of searches back with them (stream %s)', async (stream) => {
    chat.provider.dialect = 'gemini';
    chat.provider.script(streamed([search('a', 'harbour'), search('b', 'valley')]), { text: 'Three.' });
    await chat.whole('gemini', { stream }).catch(() => undefined);
    const called = chat.provider.sent[1]!.body.messages.find(({ role }: Loose) => role === 'assistant');
    expect(called.tool_calls).toMatchObject([
      { id: 'a', type: 'function', extra_content: signed('a') },
      { id: 'b', type: 'function', extra_content: signed('b') },
    ]);
  });

  test('and the client gets those of its own calls, whose history takes them back', async () => {
    chat.provider.dialect = 'gemini';
    const tools = [{ type: 'function', function: { name: 'book_seat', parameters: { type: 'object' } } }];
    chat.provider.script(streamed([{ id: 'c', name: 'book_seat', arguments: { seat: 'A1' } }]));
    const { chunks } = await chat.stream('gemini', { tools });
    const [call] = chunks.flatMap(({ choices }) => choices[0].delta.tool_calls ?? []);
    expect(call).toMatchObject({ index: 0, id: 'c', extra_content: signed('c') });
    chat.provider.script({ text: 'Booked.' });
    const history = [
      { role: 'user', content: 'A seat' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ];
    await chat.stream('gemini', { tools, messages: history });
    expect(chat.provider.sent[0]!.body.messages.slice(1)).toEqual(history);
  });

  test('as vLlm, gets no members of a function that only others know', async () => {
    for (const source of ['gemini', 'vLlm', 'openAi', 'azureOpenAi', 'mistral']) {
      chat.provider.dialect = source === 'gemini' || source === 'mistral' ? source : 'openAi';
      chat.provider.script({ text: 'Yes.' });
      await chat.stream(source, {});
      const { function: tool } = chat.provider.sent[0]!.body.tools[0];
      const isStrict = source !== 'gemini' && source !== 'vLlm';
      expect([source, tool.strict, tool.parameters.additionalProperties]).toEqual(
        isStrict ? [source, true, false] : [source, undefined, undefined],
      );
    }
  });

  /** Whole answers of the test's provider carry no signatures: streams do, asked for or not. */
  const streamed =
    (calls: Loose[]) =>
    (response: Loose, { body }: Loose): void =>
      chat.provider.answer(response, { ...body, stream: true }, { calls });
});

test('a conversation searches by meaning where its index says so, with the query as the model wrote it', async () => {
  chat.provider.dialect = 'openAi';
  await chat.call('PATCH', '/indexes/movies/settings', { embedders: { letters: restEmbedder(embedder) } });
  await chat.server.allTasksDone();
  const ask = async (more: object = {}): Promise<string> => {
    embedder.texts.length = 0;
    chat.provider.script({ calls: [search('a', 'Thgr ebr Haurdo', more)] }, { text: 'One.' });
    expect((await chat.stream('openAi', {})).content).toBe('One.');
    return chat.provider.sent[1]!.body.messages.at(-1).content;
  };
  const chatSettings = (searchParameters: object): Promise<unknown> =>
    chat
      .call('PATCH', '/indexes/movies/settings', { chat: { searchParameters } })
      .then(() => chat.server.allTasksDone());

  // by words nothing has such a title
  await chatSettings({ hybrid: null, limit: 1 });
  expect([await ask(), embedder.texts]).toEqual(['', []]);

  await chatSettings({ hybrid: { embedder: 'letters', semanticRatio: 1 }, limit: 1 });
  expect(await ask()).toContain('The Red Harbour');
  expect(embedder.texts).toEqual(['Thgr ebr Haurdo']);
  // and the filter of the model holds
  const filtered = await ask({ filter: 'year > 2000' });
  expect(filtered).not.toContain('The Red Harbour');
  expect(filtered).not.toBe('');

  // an embedder that fails is told to the model, and the conversation goes on
  embedder.behave = (_texts, response) => void response.writeHead(400).end('{}');
  expect(await ask({ q: 'another query' })).toContain('Error');
});

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { Meilisearch } from 'meilisearch';
import OpenAI, { AzureOpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ASKED,
  ChatServer,
  MASTER_KEY,
  OLDER_SPECIAL_TOOLS,
  PROVIDER_KEY,
  readStream,
  SPECIAL_TOOLS,
  search,
} from './chat-server.test-support.js';
import type { Loose } from './provider.test-support.js';

const chat = new ChatServer();
beforeAll(() => chat.start());
afterAll(() => chat.stop());
const baseURL = (workspace = 'openAi'): string => `${chat.server.url}/chats/${workspace}`;

const SEAT = { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] } as const;
const BOOK = { type: 'function', function: { name: 'book_seat', parameters: SEAT } } as const;

describe('the npm package openai', () => {
  const client = (workspace?: string): OpenAI =>
    new OpenAI({ apiKey: MASTER_KEY, baseURL: baseURL(workspace), maxRetries: 0 });
  const messages = ASKED as OpenAI.ChatCompletionMessageParam[];

  test('streams a conversation with tools, and keeps calls apart', async () => {
    const seat = { id: 'c2', name: 'book_seat', arguments: { seat: 'A1' } };
    chat.provider.script({ calls: [search('c1', 'harbour')] }, { text: 'I book. ', calls: [seat] });
    const tools = [...SPECIAL_TOOLS, BOOK] as OpenAI.ChatCompletionTool[];
    const stream = client().chat.completions.stream({
      model: 'gpt-4o',
      messages,
      tools,
      stream_options: { include_usage: true },
    });
    const { choices, usage } = await stream.finalChatCompletion();
    const { message, finish_reason } = choices[0]!;
    expect([message.content, finish_reason, usage?.total_tokens]).toEqual(['I book. ', 'tool_calls', 30]);
    const calls = message.tool_calls!.map((call) => (call as Loose).function);
    expect(calls.map(({ name }) => name)).toEqual([
      '_serviceSearchProgress',
      '_serviceAppendConversationMessage',
      '_serviceAppendConversationMessage',
      '_serviceSearchSources',
      'book_seat',
    ]);
    for (const call of calls) JSON.parse(call.arguments);

    // the whole message goes back as it is: no provider sees the special calls in it
    const answered = message.tool_calls!.map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: 'done',
    }));
    chat.provider.script({ text: 'Booked.' });
    const next = client().chat.completions.stream({
      model: 'gpt-4o',
      messages: [...messages, message, ...answered],
      tools,
    });
    expect(await next.finalContent()).toBe('Booked.');
    const sent: Loose[] = chat.provider.sent[0]!.body.messages.slice(2);
    expect(sent.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(sent[0].tool_calls.map((call: Loose) => call.id)).toEqual(['c2']);
  });

  test('gets a whole answer, and errors of both kinds', async () => {
    chat.provider.script({ text: 'Two.' });
    const whole = await client('mistral').chat.completions.create({ model: 'm', messages });
    // without `stream` an answer is a stream, so a client that wants none says so
    expect(typeof whole).toBe('string');
    const said = await client('mistral').chat.completions.create({ model: 'm', messages, stream: false });
    expect(said.choices[0]!.message.content).toBe('Two.');
    chat.provider.script((response) => void response.writeHead(429).end('slow down'));
    await expect(client().chat.completions.create({ model: 'm', messages, stream: true })).rejects.toMatchObject({
      status: 429,
    });
    chat.provider.script((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        'data: {"choices":[{"index":0,"delta":{"content":"Be"}}]}\n\ndata: {"error":{"message":"broken"}}\n\n',
      );
    });
    await expect(client().chat.completions.stream({ model: 'm', messages }).finalContent()).rejects.toThrow('broken');
  });

  test('and this server ask OpenAI, Azure and their like at the same address with the same headers', async () => {
    const url = chat.provider.url;
    const common = { apiKey: PROVIDER_KEY, organization: 'org-1', project: 'proj-1', maxRetries: 0 };
    const azure = { endpoint: url, apiVersion: '2024-10-21', deployment: 'my-model' };
    const clients = {
      openAi: new OpenAI({ ...common, baseURL: url }),
      azureOpenAi: new AzureOpenAI({ ...common, ...azure }),
    };
    for (const source of ['openAi', 'azureOpenAi'] as const) {
      chat.provider.script({ text: 'Yes.' });
      await clients[source].chat.completions.create({ model: 'gpt-4o', messages });
      await chat.workspace('same', source, { orgId: 'org-1', projectId: 'proj-1', deploymentId: 'my-model' });
      await chat.whole('same', {});
      const [theirs, ours] = chat.provider.sent;
      expect(ours!.path).toBe(theirs!.path);
      for (const name of ['authorization', 'api-key', 'openai-organization', 'openai-project', 'content-type'])
        expect([name, ours!.headers[name]]).toEqual([name, theirs!.headers[name]]);
      const { tools: _search, messages: sent, ...rest } = ours!.body;
      expect(rest).toEqual({ ...theirs!.body, messages: undefined, stream: false });
      expect(sent.slice(1)).toEqual(theirs!.body.messages);
    }
  });
});

test('the npm client of the HTTP API streams, and knows the special tools by their older names', async () => {
  const client = new Meilisearch({ host: chat.server.url, apiKey: MASTER_KEY });
  chat.provider.script({ calls: [search('c1', 'harbour')] }, { text: 'Two.' });
  const asked = { model: 'gpt-4o', messages: ASKED, stream: true, tools: OLDER_SPECIAL_TOOLS };
  const raw = await new Response(await client.chat('openAi').streamCompletion(asked as never)).text();
  const { calls, content } = readStream(200, new Headers(), raw);
  expect(content).toBe('Two.');
  const [progress, , , sources] = calls.map((call) => call.arguments);
  expect(calls.map(({ name }) => name)).toEqual([
    '_meiliSearchProgress',
    '_meiliAppendConversationMessage',
    '_meiliAppendConversationMessage',
    '_meiliSearchSources',
  ]);
  expect(progress).toMatchObject({ call_id: 'c1', function_name: '_meiliSearchInIndex' });
  expect(JSON.parse(progress.function_arguments)).toMatchObject({ q: 'harbour' });
  expect(sources.sources).toHaveLength(2);
  for (const name of ['_serviceSearchInIndex', '_meiliSearchInIndex']) {
    const tools = [{ type: 'function', function: { name, parameters: {} } }];
    expect((await chat.whole('openAi', { tools })).body.code).toBe('bad_request');
  }
});

describe('an OpenAI-compatible provider of the AI SDK', () => {
  const model = () => createOpenAICompatible({ name: 'fossick', apiKey: MASTER_KEY, baseURL: baseURL() })('gpt-4o');
  const tools = (done: string[]): Loose =>
    Object.fromEntries(
      [...SPECIAL_TOOLS.map((each) => each.function.name), 'book_seat'].map((name) => [
        name,
        tool({
          inputSchema: jsonSchema<Loose>({ type: 'object', properties: {} }),
          execute: (given: Loose) => {
            done.push(`${name} ${given.role ?? given.call_id ?? given.seat}`);
            return 'done';
          },
        }),
      ]),
    );
  const seat = { id: 'c2', name: 'book_seat', arguments: { seat: 'A1' } };

  test('streams a conversation with tools over several steps', async () => {
    chat.provider.script({ calls: [search('c1', 'harbour')] }, { calls: [seat] }, { text: 'Booked it.' });
    const done: string[] = [];
    const { textStream } = streamText({
      model: model(),
      prompt: 'A seat, please',
      tools: tools(done),
      stopWhen: stepCountIs(5),
    });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect(text).toBe('Booked it.');
    expect(done).toEqual([
      '_serviceSearchProgress c1',
      '_serviceAppendConversationMessage assistant',
      '_serviceAppendConversationMessage tool',
      '_serviceSearchSources c1',
      'book_seat A1',
    ]);
    const names = JSON.stringify(chat.provider.sent.map(({ body }) => body.messages));
    expect(names).toContain('book_seat');
    for (const { function: special } of SPECIAL_TOOLS) expect(names).not.toContain(special.name);
  });

  test('has text without a stream', async () => {
    chat.provider.script({ calls: [search('c1', 'harbour')] }, { text: 'Two.' });
    const fetchWhole: typeof fetch = (url, init) =>
      fetch(url, { ...init!, body: JSON.stringify({ ...JSON.parse(String(init!.body)), stream: false }) });
    const whole = createOpenAICompatible({
      name: 'fossick',
      apiKey: MASTER_KEY,
      baseURL: baseURL(),
      fetch: fetchWhole,
    });
    expect((await generateText({ model: whole('gpt-4o'), prompt: 'Which?' })).text).toBe('Two.');
  });
});

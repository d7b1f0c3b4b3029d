import { type Loose, part } from '@fossick/server/spec-conformance/walk.test-support';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { ChatServer, SOURCES, SPECIAL_TOOLS, search } from './chat-server.test-support.js';

const chat = new ChatServer();
beforeAll(() => chat.start());
afterAll(() => chat.stop());
beforeEach(() => {
  chat.provider.dialect = 'openAi';
});

/** Runs for every source, streamed and not. */
async function everywhere(
  run: (source: (typeof SOURCES)[number], isStreamed: boolean) => Promise<void>,
): Promise<void> {
  for (const source of SOURCES) {
    chat.provider.dialect = source === 'mistral' || source === 'gemini' ? source : 'openAi';
    for (const isStreamed of [true, false]) await run(source, isStreamed);
  }
}
/** What the client was told: text, and calls of tools by name. */
async function told(
  source: string,
  isStreamed: boolean,
  body: object,
): Promise<{ content: string; calls: readonly Loose[] }> {
  if (isStreamed) return chat.stream(source, body);
  const { message } = (await chat.whole(source, body)).body.choices[0];
  const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: given } }: Loose) => ({
    ...{ id, name },
    arguments: JSON.parse(given),
  }));
  return { content: message.content, calls };
}
const argumentsOf = (calls: readonly Loose[], name: string): Loose[] =>
  calls.filter((call) => call.name === name).map((call) => call.arguments);

const completions = part('Chat completions');
completions('model and messages are required', () =>
  everywhere(async (source, stream) => {
    for (const name of ['model', 'messages']) {
      const { status, body } = await chat.whole(source, { stream, [name]: undefined });
      expect([status, body.code, body.message]).toEqual([400, 'bad_request', expect.stringContaining(name)]);
    }
  }),
);
completions('model is a string and related to the source: the provider gets it', () =>
  everywhere(async (source, stream) => {
    chat.provider.script({ text: 'Yes.' });
    await told(source, stream, { model: 'a-model-of-theirs' });
    expect(chat.provider.sent[0]!.body.model).toBe('a-model-of-theirs');
    expect((await chat.whole(source, { stream, model: 5 })).status).toBe(400);
  }),
);
completions('stream is a boolean, true by default: the answer is a Server-Sent Events stream', async () => {
  for (const source of SOURCES) {
    chat.provider.script({ text: 'Yes.' });
    const { headers, content, isDone } = await chat.stream(source, {});
    expect([headers.get('content-type'), content, isDone]).toEqual(['text/event-stream', 'Yes.', true]);
    expect((await chat.whole(source, { stream: 'yes' })).status).toBe(400);
  }
});
completions('tools is an array and optional', () =>
  everywhere(async (source, stream) => {
    chat.provider.script({ text: 'Yes.' });
    for (const tools of [undefined, [], SPECIAL_TOOLS])
      expect((await told(source, stream, { tools })).content).toBe('Yes.');
    expect((await chat.whole(source, { stream, tools: {} })).status).toBe(400);
  }),
);
completions('the response follows the chat completions format', () =>
  everywhere(async (source, stream) => {
    chat.provider.script({ text: 'Yes, two.' });
    const common = { id: expect.any(String), created: expect.any(Number), model: 'gpt-4o' };
    if (stream)
      for (const chunk of (await chat.stream(source, {})).chunks)
        expect(chunk).toMatchObject({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0 }] });
    else
      expect((await chat.whole(source, {})).body).toMatchObject({
        ...common,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Yes, two.' }, finish_reason: 'stop' }],
      });
  }),
);
completions('the request is stateless: nothing is kept between requests', () =>
  everywhere(async (source, stream) => {
    chat.provider.script({ calls: [search('call00001', 'harbour')] }, { text: 'Two.' });
    await told(source, stream, {});
    chat.provider.script({ text: 'Yes.' });
    await told(source, stream, { messages: [{ role: 'user', content: 'And now?' }] });
    const [{ body }] = chat.provider.sent as [Loose];
    expect(body.messages.map(({ content }: Loose) => content)).toEqual([expect.any(String), 'And now?']);
  }),
);

const messages = part('Chat message object');
messages('role is system, user or assistant, content a string', () =>
  everywhere(async (source, stream) => {
    chat.provider.script({ text: 'Yes.' });
    const given = ['system', 'user', 'assistant', 'user'].map((role) => ({ role, content: `as ${role}` }));
    await told(source, stream, { messages: given });
    expect(chat.provider.sent[0]!.body.messages.slice(1)).toEqual(given);
    for (const wrong of [
      { role: 'nobody', content: '' },
      { role: 'user', content: 5 },
      { content: '' },
      { role: 'user' },
      'hello',
    ])
      expect((await chat.whole(source, { stream, messages: [wrong] })).body.code).toBe('bad_request');
  }),
);

const tools = part('Chat tools');
tools('the special tools are handled internally and not forwarded to the provider', () =>
  everywhere(async (source, stream) => {
    chat.provider.script({ calls: [search('call00001', 'harbour')] }, { text: 'Two.' });
    await told(source, stream, { tools: SPECIAL_TOOLS });
    for (const { function: special } of SPECIAL_TOOLS)
      expect(JSON.stringify(chat.provider.sent)).not.toContain(special.name);
  }),
);
tools('only what a client declares is called', () =>
  everywhere(async (source, stream) => {
    for (const tool of SPECIAL_TOOLS) {
      chat.provider.script({ calls: [search('call00001', 'harbour')] }, { text: 'Two.' });
      const { calls } = await told(source, stream, { tools: [tool] });
      expect(new Set(calls.map(({ name }) => name))).toEqual(new Set([tool.function.name]));
    }
    chat.provider.script({ calls: [search('call00001', 'harbour')] }, { text: 'Two.' });
    expect((await told(source, stream, {})).calls).toEqual([]);
  }),
);
tools('_serviceSearchProgress: call_id, function_name, function_parameters of each search', () =>
  everywhere(async (source, stream) => {
    chat.provider.script(
      { calls: [search('call00001', 'harbour'), search('call00002', 'valley')] },
      { text: 'Three.' },
    );
    const all = argumentsOf((await told(source, stream, { tools: SPECIAL_TOOLS })).calls, '_serviceSearchProgress');
    expect(all.map(({ call_id }) => call_id)).toEqual(['call00001', 'call00002']);
    expect(new Set(all.map(({ function_name }) => function_name))).toEqual(new Set(['_serviceSearchInIndex']));
    expect(JSON.parse(all[1].function_parameters)).toMatchObject({ q: 'valley', index_uid: 'movies' });
  }),
);
tools('_serviceAppendConversationMessage: role, content, tool_calls, tool_call_id, so that context is kept', () =>
  everywhere(async (source, stream) => {
    chat.provider.script({ calls: [search('call00001', 'harbour')] }, { text: 'Two.' });
    const { calls } = await told(source, stream, { tools: SPECIAL_TOOLS });
    const kept = argumentsOf(calls, '_serviceAppendConversationMessage');
    expect(kept[0]).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'call00001' }] });
    expect(kept[1]).toMatchObject({ tool_call_id: 'call00001', content: expect.stringContaining('Harbour') });
    chat.provider.script({ text: 'Yes.' });
    await told(source, stream, { messages: [{ role: 'user', content: 'Which?' }, ...kept] });
    const roles = chat.provider.sent[0]!.body.messages.map(({ role }: Loose) => role);
    expect(roles.slice(1)).toEqual(['user', 'assistant', 'tool']);
  }),
);
tools('its role is user or assistant for a client whose declaration says so', async () => {
  const role = { type: 'string', enum: ['user', 'assistant'] };
  const [tool] = SPECIAL_TOOLS.slice(1, 2) as [Loose];
  const declared = { ...tool, function: { ...tool.function, parameters: { type: 'object', properties: { role } } } };
  chat.provider.script({ calls: [search('c', 'harbour')] }, { text: 'Two.' });
  const { calls } = await told('openAi', true, { tools: [declared] });
  expect(calls.map((call) => call.arguments.role)).toEqual(['assistant', 'user']);
  chat.provider.script({ text: 'Yes.' });
  await told('openAi', true, { messages: calls.map((call) => call.arguments) });
  expect(chat.provider.sent[0]!.body.messages.slice(1).map((sent: Loose) => sent.role)).toEqual(['assistant', 'tool']);
});
tools('_serviceSearchSources: call_id of the progress, documents with displayed attributes only', () =>
  everywhere(async (source, stream) => {
    chat.provider.script({ calls: [search('call00001', 'valley')] }, { text: 'One.' });
    const { calls } = await told(source, stream, { tools: SPECIAL_TOOLS });
    const [progress] = argumentsOf(calls, '_serviceSearchProgress');
    const [sources] = argumentsOf(calls, '_serviceSearchSources');
    expect(sources.call_id).toBe(progress.call_id);
    expect(sources.documents).toEqual([{ id: 3, title: 'A Quiet Valley', year: 2010 }]);
  }),
);
tools('documents is an object for a client that declares it as one', async () => {
  const [tool] = SPECIAL_TOOLS.slice(2) as [Loose];
  const properties = { documents: { type: 'object' } };
  const declared = { ...tool, function: { ...tool.function, parameters: { type: 'object', properties } } };
  chat.provider.script({ calls: [search('c', 'valley')] }, { text: 'One.' });
  const { calls } = await told('openAi', true, { tools: [declared] });
  expect(calls[0].arguments.documents).toEqual({ 0: { id: 3, title: 'A Quiet Valley', year: 2010 } });
});

const access = part('Authentication of chats');
access('5, chat searches only the indexes accessible with the key used', () =>
  everywhere(async (source, stream) => {
    const asked = { actions: ['chatCompletions', 'search'], indexes: ['movies'], expiresAt: null };
    const { key } = (await chat.call('POST', '/keys', asked)).body;
    chat.provider.script({ calls: [search('call00001', 'payroll', { index_uid: 'private' })] }, { text: 'None.' });
    await chat.whole(source, { stream: false }, key);
    if (stream) await chat.stream(source, {}, key);
    expect(JSON.stringify(chat.provider.sent)).not.toContain('Payroll');
  }),
);

const prompts = part('Events');
prompts('1, during the stream progress, messages and sources come in this order', async () => {
  for (const source of SOURCES) {
    chat.provider.script({ text: 'Let me see.', calls: [search('call00001', 'harbour')] }, { text: 'Two.' });
    const { calls, content } = await chat.stream(source, { tools: SPECIAL_TOOLS });
    expect(content).toBe('Let me see.Two.');
    const [append, progress, sources] = [1, 0, 2].map((at) => SPECIAL_TOOLS[at]!.function.name);
    expect(calls.map(({ name }) => name)).toEqual([progress, append, append, sources]);
  }
});
prompts('the prompts of the settings reach the model where they belong', () =>
  everywhere(async (source, stream) => {
    const own = { system: 'S.', searchDescription: 'D.', searchQParam: 'Q.', searchIndexUidParam: 'I.' };
    await chat.workspace(`prompts-${source}`, source, { prompts: own });
    chat.provider.script({ text: 'Yes.' });
    await told(`prompts-${source}`, stream, {});
    const { messages: sent, tools: declared } = chat.provider.sent[0]!.body;
    expect(sent[0]).toEqual({ role: 'system', content: 'S.' });
    const { description, parameters } = declared[0].function;
    expect([description, parameters.properties.q.description]).toEqual(['D.', 'Q.']);
    expect(parameters.properties.index_uid.description).toBe('I.\n- movies: Movies with their years');
  }),
);

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ASKED, ChatServer, PROVIDER_KEY, SOURCES, SPECIAL_TOOLS, search } from './chat-server.test-support.js';
import type { Loose } from './provider.test-support.js';

const chat = new ChatServer();
beforeAll(() => chat.start());
afterAll(() => chat.stop());

const names = (tools: Loose): string[] => (tools ?? []).map((tool: Loose) => tool.function.name);

describe.each(SOURCES)('a conversation over %s', (source) => {
  beforeEach(() => {
    chat.provider.dialect = source === 'mistral' || source === 'gemini' ? source : 'openAi';
  });

  test.each([true, false])('searches until the model answers (stream %s)', async (stream) => {
    chat.provider.script({ calls: [search('call00001', 'harbour')] }, { text: 'Two of them.' });
    if (stream) {
      const { status, headers, content, finish, isDone, chunks, calls } = await chat.stream(source, {});
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      expect([content, finish, isDone, calls]).toEqual(['Two of them.', 'stop', true, []]);
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
      for (const chunk of chunks) expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: 'gpt-4o' });
      expect(chunks[0].choices[0].delta.role).toBe('assistant');
    } else {
      const { status, body } = await chat.whole(source, {});
      expect(status).toBe(200);
      expect(body).toMatchObject({
        object: 'chat.completion',
        model: 'gpt-4o',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Two of them.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
      });
    }
    const [first, second] = chat.provider.sent;
    expect(names(first!.body.tools)).toEqual(['_serviceSearchInIndex']);
    expect(first!.body.stream).toBe(stream);
    expect(first!.body.messages).toEqual([
      { role: 'system', content: expect.stringContaining('search engine') },
      ...ASKED,
    ]);
    const [called, result] = second!.body.messages.slice(2);
    expect(called).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'call00001' }] });
    expect(JSON.parse(called.tool_calls[0].function.arguments)).toEqual(search('', 'harbour').arguments);
    expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call00001' });
    expect(result.content).toContain('The Red Harbour');
    expect(result.content).not.toContain('hidden words');
  });

  test('says what it does to a client that declares the tools for it, and to no provider', async () => {
    const asked = [search('call00001', 'harbour'), search('call00002', 'valley')];
    for (const stream of [true, false]) {
      chat.provider.script({ calls: asked }, { text: 'Three.' });
      const answer = stream
        ? await chat.stream(source, { tools: SPECIAL_TOOLS })
        : await chat.whole(source, { tools: SPECIAL_TOOLS });
      const calls: Loose[] =
        'calls' in answer ? [...answer.calls] : answer.body.choices[0].message.tool_calls.map(plainCall);
      expect(calls.map(({ name }) => name.slice('_service'.length))).toEqual([
        ...['SearchProgress', 'SearchProgress', 'AppendConversationMessage'],
        ...['AppendConversationMessage', 'SearchSources', 'AppendConversationMessage', 'SearchSources'],
      ]);
      const [progress, , append, result, sources] = calls.map((call) => call.arguments);
      expect(progress).toMatchObject({ call_id: 'call00001', function_name: '_serviceSearchInIndex' });
      expect(JSON.parse(progress.function_parameters)).toMatchObject({ q: 'harbour', index_uid: 'movies' });
      expect(append).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'call00001' }, { id: 'call00002' }] });
      expect(result).toMatchObject({ tool_call_id: 'call00001', content: expect.stringContaining('Ghosts') });
      expect(sources.call_id).toBe('call00001');
      expect(sources.documents).toEqual([
        { id: 2, title: 'Harbour of Ghosts', year: 2001 },
        { id: 1, title: 'The Red Harbour', year: 1994 },
      ]);
      for (const { body } of chat.provider.sent) expect(names(body.tools)).toEqual(['_serviceSearchInIndex']);
      expect(chat.provider.sent[1]!.body.messages).toHaveLength(5);
    }
  });

  test('passes the tools of the client through, both ways', async () => {
    const tool = { type: 'function', function: { name: 'book_seat', parameters: { type: 'object', properties: {} } } };
    const calls = [
      { id: 'call00001', name: 'book_seat', arguments: { seat: 'A1', film: 'The Red Harbour' } },
      { id: 'call00002', name: 'book_seat', arguments: { seat: 'A2' } },
    ];
    chat.provider.script({ calls });
    const streamed = await chat.stream(source, { tools: [tool] });
    expect([streamed.calls, streamed.finish]).toEqual([calls, 'tool_calls']);
    const { body } = await chat.whole(source, { tools: [tool], temperature: 0.2 });
    expect(body.choices[0].message.tool_calls.map(plainCall)).toEqual(calls);
    expect(body.choices[0].finish_reason).toBe('tool_calls');
    expect(chat.provider.sent[1]!.body).toMatchObject({ temperature: 0.2 });
    expect(names(chat.provider.sent[1]!.body.tools)).toEqual(['_serviceSearchInIndex', 'book_seat']);
    expect(chat.provider.sent[1]!.body.tools[1]).toEqual(tool);
  });

  test('is asked for at the address of the source, with its headers', async () => {
    chat.provider.script({ text: 'Yes.' });
    await chat.workspace('headers', source, { orgId: 'org-1', projectId: 'proj-1' });
    await chat.stream('headers', {});
    const [{ path, headers }] = chat.provider.sent as [Loose];
    if (source === 'azureOpenAi') {
      expect(path).toBe('/openai/deployments/my%20model/chat/completions?api-version=2024-10-21');
      expect([headers['api-key'], headers.authorization]).toEqual([PROVIDER_KEY, undefined]);
    } else {
      expect([path, headers.authorization]).toEqual(['/chat/completions', `Bearer ${PROVIDER_KEY}`]);
    }
    const isOpenAi = source === 'openAi' || source === 'azureOpenAi';
    expect(headers['openai-organization']).toBe(isOpenAi ? 'org-1' : undefined);
    expect(headers['openai-project']).toBe(isOpenAi ? 'proj-1' : undefined);
  });
});

function plainCall({ id, function: called }: Loose): Loose {
  return { id, name: called.name, arguments: JSON.parse(called.arguments) };
}

import { LEDGER, LEDGER_UID } from '@fossick/server/extensions/guarding-extension.test-support';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chats } from '../index.js';
import { ChatServer, MASTER_KEY, SPECIAL_TOOLS, search } from './chat-server.test-support.js';
import type { Loose } from './provider.test-support.js';

const chat = new ChatServer([chats, LEDGER]);
beforeAll(() => chat.start());
afterAll(() => chat.stop());

async function keyOf(actions: string[], indexes: string[]): Promise<Loose> {
  return (await chat.call('POST', '/keys', { actions, indexes, expiresAt: null })).body;
}
async function tokenOf(searchRules: object, indexes = ['*'], actions = ['chatCompletions', 'search']): Promise<string> {
  const { uid, key } = await keyOf(actions, indexes);
  const claims = new SignJWT({ apiKeyUid: uid, searchRules }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' });
  return claims.sign(new TextEncoder().encode(key));
}
const indexesTold = (): string[] | undefined =>
  chat.provider.sent[0]!.body.tools?.[0].function.parameters.properties.index_uid.enum;

test('a conversation needs a key with chatCompletions; without one, 401', async () => {
  chat.provider.script({ text: 'Yes.' });
  expect(await chat.whole('openAi', {}, null)).toMatchObject({
    status: 401,
    body: { code: 'missing_authorization_header' },
  });
  const { key } = await keyOf(['search'], ['*']);
  expect(await chat.whole('openAi', {}, key)).toMatchObject({ status: 403, body: { code: 'invalid_api_key' } });
  expect(chat.provider.sent).toEqual([]);
});

test('the default chat key holds conversations', async () => {
  const { results } = (await chat.call('GET', '/keys')).body;
  const { key } = results.find(({ name }: Loose) => name === 'Default Chat API Key');
  chat.provider.script({ text: 'Yes.' });
  expect((await chat.stream('openAi', {}, key)).content).toBe('Yes.');
  expect(indexesTold()).toEqual(['movies', 'private']);
});

test('while the feature is off, there is none', async () => {
  await chat.call('PATCH', '/experimental-features', { chatCompletions: false });
  expect((await chat.whole('openAi', {})).body.code).toBe('feature_not_enabled');
  await chat.call('PATCH', '/experimental-features', { chatCompletions: true });
});

test('an index outside of the key is neither told nor searched, and as unknown as one that is not there', async () => {
  const { key } = await keyOf(['chatCompletions', 'search'], ['mov*']);
  for (const index_uid of ['private', 'nothing']) {
    chat.provider.script({ calls: [search('c', 'payroll', { index_uid })] }, { text: 'Well.' });
    const { raw } = await chat.stream('openAi', { tools: SPECIAL_TOOLS }, key);
    expect(indexesTold()).toEqual(['movies']);
    expect(chat.provider.sent[1]!.body.messages.at(-1).content).toBe(
      `Error: There is no index \`${index_uid}\`. There are: movies.`,
    );
    expect(`${raw}${JSON.stringify(chat.provider.sent)}`).not.toContain('Payroll');
  }
});

test('a guarded index is no index for a conversation, unless its key sees it', async () => {
  await chat.call('POST', `/indexes/${LEDGER_UID}/documents`, [{ id: 1, q: 'payroll of the boss' }]);
  await chat.server.allTasksDone();
  const actions = ['chatCompletions', 'search'];
  const ask = async (key: string): Promise<string> => {
    chat.provider.script({ calls: [search('c', 'payroll', { index_uid: LEDGER_UID })] }, { text: 'Well.' });
    const { raw } = await chat.stream('openAi', { tools: SPECIAL_TOOLS }, key);
    return `${raw}${JSON.stringify(chat.provider.sent.map(({ body }) => withoutCalls(body)))}`;
  };
  for (const key of [
    (await keyOf(actions, ['*'])).key,
    await tokenOf({ '*': null }),
    (await keyOf(actions, ['*'])).key,
  ]) {
    expect(await ask(key)).not.toContain('payroll of the boss');
    expect(indexesTold()).toEqual(['movies', 'private']);
  }
  expect(await ask((await keyOf([...actions, 'stats.get'], ['*'])).key)).toContain('payroll of the boss');
  await chat.call('DELETE', `/indexes/${LEDGER_UID}`);
  await chat.server.allTasksDone();
});

test('a key without the action search converses without searching', async () => {
  const { key } = await keyOf(['chatCompletions'], ['*']);
  chat.provider.script({ calls: [search('c', 'harbour')] }, { text: 'Well.' });
  expect((await chat.stream('openAi', {}, key)).content).toBe('Well.');
  expect(chat.provider.sent[0]!.body.tools).toBeUndefined();
  expect(JSON.stringify(chat.provider.sent)).not.toContain('Red Harbour');
});

test.each([
  true,
  false,
])('nothing outside of the filter of a tenant token is seen, quoted or named (stream %s)', async (stream) => {
  const token = await tokenOf({ movies: { filter: 'tenant = a' } });
  const asked = [
    search('1', ''),
    search('2', 'harbour of ghosts'),
    search('3', '', { filter: 'tenant = b' }),
    search('4', '', { filter: 'tenant = b OR year > 0' }),
    search('5', '', { filter: [['tenant = b', 'year = 2001']] }),
    search('6', '', { filter: 'year > 0) OR (tenant = b' }),
    search('7', 'payroll', { index_uid: 'private' }),
    search('8', '"Ghosts"'),
  ];
  chat.provider.script({ calls: asked }, { text: 'Well.' });
  const answer = await chat.whole('openAi', { tools: SPECIAL_TOOLS, stream: false }, token);
  if (stream) chat.provider.script({ calls: asked }, { text: 'Well.' });
  const streamed = stream ? await chat.stream('openAi', { tools: SPECIAL_TOOLS }, token) : null;
  const told = JSON.stringify([
    chat.provider.sent.map(({ body }) => withoutCalls(body)),
    documentsOf(answer.body, streamed),
  ]);
  expect(told).toContain('The Red Harbour');
  expect(told).toContain('A Quiet Valley');
  for (const foreign of ['Harbour of Ghosts', '2001', 'Payroll', '\\"b\\"'])
    expect(told, foreign).not.toContain(foreign);
});

/** What a provider receives, less what it wrote itself. */
function withoutCalls({ messages, tools }: Loose): Loose {
  return { tools, messages: messages.filter(({ role }: Loose) => role !== 'assistant').map(quiet) };
}
/** Errors repeat the filter of the model. */
function quiet({ content, ...message }: Loose): Loose {
  return { ...message, content: String(content).startsWith('Error') ? 'Error' : content };
}
function documentsOf(whole: Loose, streamed: Loose): Loose {
  const calls = [
    ...whole.choices[0].message.tool_calls.map(({ function: f }: Loose) => [f.name, JSON.parse(f.arguments)]),
  ];
  for (const { name, arguments: given } of streamed?.calls ?? []) calls.push([name, given]);
  return calls.flatMap(([name, given]: Loose) => (name === '_serviceSearchSources' ? [given.documents] : []));
}

test('metrics count conversations, rounds, searches, tokens and time', async () => {
  chat.provider.script({ calls: [search('c', 'harbour')] }, { text: 'Well.' });
  await chat.workspace('counted', 'mistral');
  chat.provider.dialect = 'mistral';
  await chat.stream('counted', {});
  const answer = await fetch(`${chat.server.url}/metrics`, { headers: { authorization: `Bearer ${MASTER_KEY}` } });
  const text = await answer.text();
  const label = 'workspace="counted",source="mistral"';
  expect(text).toContain(`meilisearch_chat_conversations_total{${label},outcome="answered"} 1`);
  for (const line of [
    'rounds_total{*} 2',
    'searches_total{*,type="internal"} 1',
    'prompt_tokens_total{*,model="gpt-4o"} 20',
    'tokens_total{*,model="gpt-4o"} ',
    'duration_seconds_count{*} 1',
  ])
    expect(text).toContain(`meilisearch_chat_${line.replace('*', label)}`);
});

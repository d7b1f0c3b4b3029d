import { MASTER_KEY, part, walked } from '@fossick/server/spec-conformance/walk.test-support';
import { expect } from 'vitest';

const walk = walked(async (w) => {
  await w.call('PATCH', '/experimental-features', { chatCompletions: true });
});
const patch = (workspace: string, body: object) => walk.call('PATCH', `/chats/${workspace}/settings`, body);

const workspaces = part('Chat workspace');
workspaces('is made by the first settings update on its identifier', async () => {
  expect((await walk.call('GET', '/chats/first/settings')).status).toBe(404);
  expect((await patch('first', { source: 'openAi' })).status).toBe(200);
  expect((await walk.call('GET', '/chats/first/settings')).status).toBe(200);
});

const settings = part('Chat settings');
const ADDRESS = 'http://192.0.2.1/';
settings('source is one of openAi, azureOpenAi, mistral, gemini, vLlm', async () => {
  const azure = { orgId: 'o', apiVersion: 'v', deploymentId: 'd' };
  for (const source of ['openAi', 'azureOpenAi', 'mistral', 'gemini', 'vLlm'])
    expect(await patch('sources', { source, baseUrl: ADDRESS, ...azure })).toMatchObject({
      status: 200,
      body: { source },
    });
  expect((await patch('sources', { source: 'other' })).status).toBe(400);
});
for (const name of ['orgId', 'apiVersion', 'deploymentId', 'baseUrl'])
  settings(`${name} is required for azureOpenAi`, async () => {
    const whole: Record<string, string> = { orgId: 'o', apiVersion: 'v', deploymentId: 'd', baseUrl: ADDRESS };
    const { [name]: _left, ...rest } = whole;
    const refused = await patch(`azure-${name}`, { source: 'azureOpenAi', ...rest });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(name)]);
    expect((await patch(`azure-${name}`, { source: 'azureOpenAi', ...whole })).status).toBe(200);
  });
settings('baseUrl is required for vLlm, apiKey is optional', async () => {
  expect((await patch('v', { source: 'vLlm', apiKey: 'k' })).status).toBe(400);
  expect((await patch('v', { source: 'vLlm', baseUrl: ADDRESS })).status).toBe(200);
});
settings('baseUrl is an address of HTTP; an empty one is that of the vendor', async () => {
  for (const baseUrl of ['api.example.com', 'ftp://192.0.2.1/', '/v1', ' ', 'http://'])
    expect(await patch('base', { baseUrl })).toMatchObject({
      status: 400,
      body: { code: 'invalid_chat_completion_base_api' },
    });
  expect((await patch('base', { baseUrl: '' })).status).toBe(200);
  expect((await patch('base', { source: 'vLlm' })).status).toBe(400);
});
settings('projectId is a string', async () => {
  expect(await patch('p', { projectId: 'one' })).toMatchObject({ status: 200, body: { projectId: 'one' } });
  expect((await patch('p', { projectId: 1 })).status).toBe(400);
});
settings('apiKey is write-only: never returned', async () => {
  const answers = [
    await patch('secret', { apiKey: 'a-secret-of-mine' }),
    await walk.call('GET', '/chats/secret/settings'),
  ];
  for (const { body } of answers) {
    expect(body).not.toHaveProperty('apiKey');
    expect(JSON.stringify(body)).not.toContain('a-secret');
  }
});
settings('prompts are system, searchDescription, searchQParam and searchIndexUidParam, all strings', async () => {
  const prompts = { system: 'a', searchDescription: 'b', searchQParam: 'c', searchIndexUidParam: 'd' };
  expect((await patch('prompts', { prompts })).body.prompts).toMatchObject(prompts);
  for (const name of Object.keys(prompts))
    expect((await patch('prompts', { prompts: { [name]: 1 } })).status).toBe(400);
});

const routes = part('Chats');
routes('the feature has to be activated first', async () => {
  await walk.call('PATCH', '/experimental-features', { chatCompletions: false });
  for (const [method, path, body] of [
    ['GET', '/chats'],
    ['GET', '/chats/first/settings'],
    ['PATCH', '/chats/first/settings', {}],
  ] as const)
    expect((await walk.call(method, path, body)).body.code).toBe('feature_not_enabled');
  await walk.call('PATCH', '/experimental-features', { chatCompletions: true });
});
routes('PATCH updates any of the fields, the others stay', async () => {
  await patch('partly', { source: 'mistral', projectId: 'one' });
  expect((await patch('partly', { projectId: 'two' })).body).toMatchObject({ source: 'mistral', projectId: 'two' });
  expect((await walk.call('GET', '/chats/partly/settings')).body).toMatchObject({
    source: 'mistral',
    projectId: 'two',
  });
});
routes('GET /chats lists workspaces with offset 0, limit 20 and total', async () => {
  await patch('aa', {});
  await patch('ab', {});
  const { status, body } = await walk.call('GET', '/chats');
  expect([status, body.offset, body.limit]).toEqual([200, 0, 20]);
  expect(body.results).toContainEqual({ uid: 'aa' });
  const second = (await walk.call('GET', '/chats?offset=1&limit=1')).body;
  expect(second).toMatchObject({ offset: 1, limit: 1, total: body.total, results: [body.results[1]] });
});

const access = part('Authentication');
access('5, a default chat API key with access to the chat endpoints exists', async () => {
  const { results } = (await walk.call('GET', '/keys', undefined, MASTER_KEY)).body;
  const key = results.find(({ name }: { name: string }) => name === 'Default Chat API Key');
  expect(key.actions).toEqual(['chatCompletions', 'search']);
});

import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, expect, it } from 'vitest';

const folder = newDatabaseFolder();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(folder);
  await server.call('PATCH', '/experimental-features', { chatCompletions: true });
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

it('the methods of the client do what they say', async () => {
  const client = new Meilisearch({ host: server.url });
  const workspace = client.chat('support');
  await workspace.update({ source: 'openAi', apiKey: 'secret', prompts: { system: 'Be kind' } } as never);
  expect(await workspace.get()).toMatchObject({ source: 'openAi', prompts: { system: 'Be kind' } });
  expect((await client.getChatWorkspaces()).results).toEqual([{ uid: 'support' }]);
  expect(await client.getChatWorkspace('support')).toEqual({ uid: 'support' });
  await workspace.reset();
  await client.deleteChatWorkspace('support');
  await expect(client.getChatWorkspace('support')).rejects.toMatchObject({ cause: { code: 'chat_not_found' } });
});

it.each([
  ['GET', '/settings'],
  ['PATCH', '/settings'],
  ['DELETE', '/settings'],
  ['GET', ''],
  ['DELETE', ''],
  ['POST', '/chat/completions'],
] as const)('%s %s refuses what is no name of a workspace, as such', async (method, rest) => {
  const body = rest === '/chat/completions' ? { model: 'm', messages: [{ role: 'user', content: 'x' }] } : {};
  const sent = method === 'GET' || method === 'DELETE' ? undefined : body;
  const answer = await server.call<object>(method, `/chats/zephyr%20up${rest}`, sent);
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'invalid_index_uid',
      message: expect.stringContaining('`zephyr up` is not a valid name of a chat workspace: it takes 1 to 400 of'),
    },
  });
});

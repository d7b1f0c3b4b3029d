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

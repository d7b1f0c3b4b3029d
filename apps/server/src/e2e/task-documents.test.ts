import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer, type WireError } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const ROUNDS = 60;
const folder = newDatabaseFolder();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(folder);
  await server.call('PATCH', '/experimental-features', { getTaskDocumentsRoute: true });
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

test('the documents of a task are whole or not there, also when it ends while they are asked for', async () => {
  let wholeCount = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const document = { id: round, text: 'a text '.repeat(5_000) };
    const { body } = await server.call<{ taskUid: number }>('POST', '/indexes/films/documents', [document]);
    // over a connection: an answer that breaks off is an error of `fetch`
    const ask = async (): Promise<void> => {
      const answer = await fetch(`${server.url}/tasks/${body.taskUid}/documents`);
      const text = await answer.text();
      if (answer.status === 200) {
        wholeCount += 1;
        expect(JSON.parse(text)).toEqual(document);
      } else expect((JSON.parse(text) as WireError).code).toBe('task_file_not_found');
    };
    await Promise.all([ask(), ask(), ask(), ask()]);
  }
  expect(wholeCount).toBeGreaterThan(0);
  await server.allTasksDone();
  expect(server.output()).not.toContain('ENOENT');
});

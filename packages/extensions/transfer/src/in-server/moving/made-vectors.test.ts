import { InstanceClient } from '@fossick/instance/client';
import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { type Provider, startProvider } from '@fossick/server/embedding/provider.test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { moveInstance } from '../../moving/move-instance.js';
import { MoveReport } from '../../moving/move-report.js';

const KEY = 'a-master-key-of-24-bytes';
const AUTH = { authorization: `Bearer ${KEY}` };
const FILM_COUNT = 250;

const folders = [newDatabaseFolder(), newDatabaseFolder()];
let source: TestServer;
let target: TestServer;
let provider: Provider;
beforeAll(async () => {
  const options = ['--master-key', KEY, '--experimental-allowed-ip-networks', '127.0.0.0/8'];
  provider = await startProvider();
  [source, target] = await Promise.all([startTestServer(folders[0]!, options), startTestServer(folders[1]!, options)]);
});
afterAll(async () => {
  await Promise.all([source?.stop(), target?.stop(), provider?.close()]);
  for (const folder of folders) removeFolder(folder);
});

async function move(): Promise<string> {
  const report = new MoveReport({ write: () => undefined });
  const clientOf = (role: string, url: string): InstanceClient =>
    new InstanceClient({ role, url, key: KEY, keyFlag: `--${role}-key`, firstDelayMs: 5 });
  const [from, to] = [clientOf('source', source.url), clientOf('target', target.url)];
  await moveInstance({ source: from, target: to, report, indexes: null, isReplacing: false, ownKeys: null });
  await Promise.all([from.close(), to.close()]);
  return report.summary('moved');
}
const vectorsOf = async (server: TestServer): Promise<unknown> =>
  (await server.call('GET', `/indexes/films/documents?limit=${FILM_COUNT}&retrieveVectors=true`, undefined, AUTH)).body;

test('vectors that a provider made are moved: it is asked for none of them again, not by a second run either', async () => {
  const [request, response] = [{ texts: ['{{text}}', '{{..}}'] }, { vectors: ['{{embedding}}', '{{..}}'] }];
  const letters = { source: 'rest', url: provider.url, request, response, documentTemplate: '{{doc.title}}' };
  await source.call('PATCH', '/indexes/films/settings', { embedders: { letters } }, AUTH);
  const films = Array.from({ length: FILM_COUNT }, (_, id) => ({ id, title: `film number ${id}` }));
  await source.call('POST', '/indexes/films/documents', films, AUTH);
  await source.allTasksDone();
  const made = (): readonly string[] => provider.texts.filter((text) => text.startsWith('film number'));
  expect(made()).toHaveLength(FILM_COUNT);

  for (let run = 0; run < 2; run++) {
    expect(await move()).toMatch(/films +250 +250\n/);
    await target.allTasksDone();
    expect(await vectorsOf(target)).toEqual(await vectorsOf(source));
    expect(made()).toHaveLength(FILM_COUNT);
  }
  expect(JSON.stringify(await vectorsOf(target))).toContain('"regenerate":true');

  // from here on the target makes its own: a text that changes is asked for, one that does not is not
  await target.call(
    'PUT',
    '/indexes/films/documents',
    [
      { id: 3, title: 'film number three' },
      { id: 4, year: 1999 },
    ],
    AUTH,
  );
  await target.allTasksDone();
  expect(made().slice(FILM_COUNT)).toEqual(['film number three']);
});

import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { afterEach, describe, expect, test } from 'vitest';

const OPEN_NETWORK = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
const MASTER_KEY = 'a-master-key-of-the-remote';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: readonly string[]): Promise<TestServer> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startTestServer(folder, options);
  cleanups.push(() => server.stop());
  return server;
}
const documents = async (server: TestServer, uid: string, headers = {}) =>
  (
    await server.call<{ results: object[]; total: number }>(
      'POST',
      `/indexes/${uid}/documents/fetch`,
      { limit: 2_000, retrieveVectors: true },
      headers,
    )
  ).body;

describe('export', () => {
  test('sends indexes, settings, filtered documents and vectors to another instance', async () => {
    const [source, remote] = await Promise.all([start(OPEN_NETWORK), start(['--master-key', MASTER_KEY])]);
    const films = Array.from({ length: 1_500 }, (_, id) => ({ id, year: 1900 + (id % 100), plot: 'x'.repeat(100) }));
    await source.call('PATCH', '/indexes/films/settings', {
      filterableAttributes: ['year'],
      synonyms: { film: ['movie'] },
      embedders: { own: { source: 'userProvided', dimensions: 2 } },
    });
    const vectors = { own: { embeddings: [[0.5, 1]], regenerate: false } };
    await source.call(
      'POST',
      '/indexes/films/documents',
      films.map((film) => ({ ...film, _vectors: vectors })),
    );
    await source.call('POST', '/indexes/books/documents', [{ isbnId: 'a', title: 'Far away' }]);
    await source.call('POST', '/indexes', { uid: 'other' });
    await source.allTasksDone();

    const request = {
      url: remote.url,
      apiKey: MASTER_KEY,
      payloadSize: '100KiB',
      indexes: { 'film*': { filter: 'year < 1950' }, books: { overrideSettings: true } },
    };
    const accepted = await source.call('POST', '/export', request);
    expect(accepted).toMatchObject({ status: 200, body: { type: 'export', indexUid: null, status: 'enqueued' } });
    const [task] = await source.allTasksDone();
    expect(task).toMatchObject({
      status: 'succeeded',
      details: {
        url: remote.url,
        apiKey: 'a-mXXXXX...',
        payloadSize: '100 KiB',
        indexes: {
          films: { filter: 'year < 1950', overrideSettings: false, matchedDocuments: 750, matched_documents: 750 },
          books: { filter: null, overrideSettings: true, matchedDocuments: 1, matched_documents: 1 },
        },
      },
    });

    const headers = { authorization: `Bearer ${MASTER_KEY}` };
    const received = await remote.allTasksDone();
    expect(received.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(received.filter(({ type }) => type === 'documentAdditionOrUpdate').length).toBeGreaterThan(2);
    const copies = await documents(remote, 'films', headers);
    expect(copies.total).toBe(750);
    expect(copies.results[0]).toEqual({ ...films[0], _vectors: vectors });
    expect((await documents(remote, 'books', headers)).results).toEqual([
      { isbnId: 'a', title: 'Far away', _vectors: {} },
    ]);
    const settings = await remote.call('GET', '/indexes/films/settings', undefined, headers);
    expect(settings.body).toMatchObject({ filterableAttributes: ['year'], synonyms: { film: ['movie'] } });
    expect((await remote.call('GET', '/indexes/other', undefined, headers)).status).toBe(404);
  });

  test('fails with what the other instance, the filter or the network says', async () => {
    const [open, closed] = await Promise.all([start(OPEN_NETWORK), start([])]);
    await open.call('POST', '/indexes/a/documents', [{ id: 1 }]);
    await closed.call('POST', '/indexes/a/documents', [{ id: 1 }]);
    // an export of no index would succeed
    await Promise.all([open.allTasksDone(), closed.allTasksDone()]);
    const locked = await start(['--master-key', MASTER_KEY]);
    const failure = async (server: TestServer, body: object) => {
      await server.call('POST', '/export', body);
      return (await server.allTasksDone())[0]!.error;
    };
    // the code is the spec's for whatever another instance refuses; its own code and words are reported
    const unknown = await failure(open, { url: locked.url });
    expect(unknown).toMatchObject({ code: 'internal' });
    expect(unknown!.message).toContain('401: missing_authorization_header (auth): ');
    const stranger = await failure(open, { url: locked.url, apiKey: 'of somebody else' });
    expect(stranger).toMatchObject({ code: 'internal' });
    expect(stranger!.message).toContain('403: invalid_api_key (auth): ');
    expect(stranger!.message).not.toMatch(/[{}]|of somebody else/);
    for (const url of ['', 'nothing', 'ftp://192.0.2.1'])
      expect(await failure(open, { url })).toMatchObject({ code: 'invalid_export_url', type: 'invalid_request' });
    const small = { url: locked.url, apiKey: MASTER_KEY, payloadSize: 3 };
    expect(await failure(open, small)).toMatchObject({ code: 'invalid_export_payload_size' });
    const filtered = { url: locked.url, indexes: { '*': { filter: 'nothing = 1' } } };
    expect(await failure(open, filtered)).toMatchObject({ code: 'invalid_document_filter' });
    const barred = await failure(closed, { url: locked.url });
    expect(barred).toMatchObject({ code: 'invalid_export_url' });
    expect(barred!.message).toContain('private network');
  });

  test('keeps the order of members', async () => {
    const [source, remote] = await Promise.all([start(OPEN_NETWORK), start([])]);
    const documents = '[{"id":1,"title":"a b","2024":"x","10":{"9":1.0,"2":[{"z":18446744073709551615,"0":null}]}}]';
    const textOf = async (method: string, url: string, body?: string): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })).text();
    };
    await textOf('POST', `${source.url}/indexes/films/documents?primaryKey=id`, documents);
    await source.allTasksDone();
    await source.call('POST', '/export', { url: remote.url });
    await source.allTasksDone();
    await remote.allTasksDone();
    expect(await textOf('GET', `${remote.url}/indexes/films/documents`)).toContain(`"results":${documents}`);
  });

  test('needs its action', async () => {
    const server = await start(['--master-key', MASTER_KEY]);
    const statusWith = async (actions: readonly string[], indexes = ['*']): Promise<number> => {
      const admin = { authorization: `Bearer ${MASTER_KEY}` };
      const key = { actions, indexes, expiresAt: null };
      const { body } = await server.call<{ key: string }>('POST', '/keys', key, admin);
      const url = { url: 'http://192.0.2.1' };
      return (await server.call('POST', '/export', url, { authorization: `Bearer ${body.key}` })).status;
    };
    expect(await statusWith(['export'])).toBe(200);
    expect(await statusWith(['*.get', 'dumps.create', 'documents.*'])).toBe(403);
    expect(await statusWith(['export'], ['films'])).toBe(403);
  });

  test('is not there when its extension is left out, but its tasks are listed and those that wait fail', async () => {
    const folder = newDatabaseFolder();
    cleanups.push(() => removeFolder(folder));
    const served = await startTestServer(folder, []);
    const details = {
      url: 'http://192.0.2.1',
      apiKey: 'seXXXX...',
      payloadSize: '1 MiB',
      indexes: { 'a*': { filter: null, overrideSettings: false } },
    };
    const body = { url: details.url, apiKey: 'secret-key', payloadSize: '1MiB', indexes: { 'a*': {} } };
    await served.call('POST', '/export', body);
    await served.allTasksDone();
    await served.stop();
    const server = await startTestServer(folder, ['--extensions=']);
    cleanups.push(() => server.stop());
    expect((await server.call('POST', '/export', body)).status).toBe(404);
    const { body: page } = await server.call<{ results: object[] }>('GET', '/tasks?types=export');
    expect(page.results).toMatchObject([{ type: 'export', status: 'succeeded', details: { ...details, indexes: {} } }]);
  });

  test('refuses wrong bodies with their codes', async () => {
    const server = await start([]);
    const cases: readonly (readonly [object, string])[] = [
      [{ url: 1 }, 'invalid_export_url'],
      [{ apiKey: 1 }, 'invalid_export_api_key'],
      [{ payloadSize: 'much' }, 'invalid_export_payload_size'],
      [{ indexes: ['a'] }, 'bad_request'],
      [{ indexes: { 'a b': {} } }, 'bad_request'],
      [{ indexes: { a: { overrideSettings: 1 } } }, 'invalid_export_index_override_settings'],
      [{ indexes: { a: { other: 1 } } }, 'bad_request'],
    ];
    for (const [body, code] of cases)
      expect(await server.call('POST', '/export', body)).toMatchObject({ status: 400, body: { code } });
  });
});

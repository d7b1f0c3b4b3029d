import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';
import { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BIN_FILE } from './e2e/server-command.test-support.js';
import { freePort } from './e2e/server-process.test-support.js';

const IS_BUILT = existsSync(fileURLToPath(new URL('../dist/main.js', import.meta.url)));
const MASTER_KEY = 'a master key for the tests';

// the server is a process of its own here, with its worker thread, so it has to be built
describe.skipIf(!IS_BUILT)('a running server', () => {
  let folder: string;
  let url: string;
  let server: ChildProcess;

  async function start(): Promise<void> {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const flags = ['--db-path', join(folder, 'data'), '--http-addr', `127.0.0.1:${port}`, '--master-key', MASTER_KEY];
    server = spawn(process.execPath, [BIN_FILE, ...flags, '--no-analytics', '--log-level', 'WARN'], {
      stdio: 'ignore',
    });
    for (let attempt = 0; attempt < 1_200; attempt++) {
      if (
        await fetch(`${url}/health`).then(
          () => true,
          () => false,
        )
      )
        return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the server did not start');
  }
  function stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    return ended;
  }
  const call = (method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
  async function finished(response: Response): Promise<Record<string, unknown>> {
    const { taskUid } = (await response.json()) as { taskUid: number };
    for (;;) {
      const task = (await (await call('GET', `/tasks/${taskUid}`)).json()) as Record<string, unknown>;
      if (task.finishedAt !== null) return task;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fossick-server-'));
    await start();
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is driven by the meilisearch client', async () => {
    const client = new Meilisearch({ host: url, apiKey: MASTER_KEY, defaultWaitOptions: { timeout: 60_000 } });
    const films = [
      { id: 1, title: 'The Lighthouse Keeper', year: 1999 },
      { id: 2, title: 'Lantern and Sea', year: 2011 },
    ];
    const added = await client.index('films').addDocuments(films).waitTask();
    expect(added).toMatchObject({ status: 'succeeded', details: { receivedDocuments: 2, indexedDocuments: 2 } });
    await client.index('films').updateFilterableAttributes(['year']).waitTask();
    const found = await client.index('films').search('lighthuose', { filter: 'year < 2000' });
    expect(found.hits).toEqual([films[0]]);
    expect((await client.getKeys()).results.map(({ name }) => name)).toContain('Default Search API Key');
    await expect(client.index('none').search('x')).rejects.toMatchObject({ cause: { code: 'index_not_found' } });
  });

  test('answers instant-meilisearch', async () => {
    const { searchClient } = instantMeiliSearch(url, MASTER_KEY);
    const answer = await searchClient.search([{ indexName: 'films', params: { query: 'sea' } }]);
    expect(answer.results[0]).toMatchObject({ nbHits: 1, hits: [{ title: 'Lantern and Sea' }] });
  });

  test('takes NDJSON, CSV and compressed bodies, and keeps integers beyond 2^53', async () => {
    const ndjson = '{"id":9007199254740993,"n":1}\n{"id":2,"n":2}';
    const first = await call('POST', '/indexes/rows/documents', gzipSync(ndjson), {
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    });
    expect(await finished(first)).toMatchObject({ status: 'succeeded', details: { indexedDocuments: 2 } });
    const big = await call('GET', '/indexes/rows/documents/9007199254740993');
    expect(await big.text()).toBe('{"id":9007199254740993,"n":1}');
    const csv = 'id;n:number;ok:boolean\n7;1.5;true\n8;;\n';
    await finished(await call('POST', '/indexes/rows/documents?csvDelimiter=;', csv, { 'content-type': 'text/csv' }));
    expect(await (await call('GET', '/indexes/rows/documents/7')).json()).toEqual({ id: '7', n: 1.5, ok: true });
    expect(await (await call('GET', '/indexes/rows/documents/8')).json()).toEqual({ id: '8', n: null, ok: null });
  });

  test('refuses what is wrong with the code of the spec', async () => {
    const code = async (response: Promise<Response>): Promise<string> => {
      const answered = await response;
      return `${answered.status} ${((await answered.json()) as { code: string }).code}`;
    };
    expect(await code(call('GET', '/tasks/abc'))).toBe('400 invalid_task_uids');
    expect(await code(call('POST', '/indexes', '{"primaryKey":"a"}'))).toBe('400 missing_index_uid');
    expect(await code(call('POST', '/indexes', '{"uid":"a b"}'))).toBe('400 invalid_index_uid');
    expect(await code(call('POST', '/indexes/x/documents', '{'))).toBe('400 malformed_payload');
    expect(await code(call('POST', '/indexes/x/documents'))).toBe('400 missing_payload');
    expect(await code(call('POST', '/indexes/x/documents?primarykey=id', '{}'))).toBe('400 bad_request');
    expect(await code(call('PUT', '/indexes/x/settings', '{}'))).toBe('405 method_not_allowed');
    expect(await code(call('GET', '/nothing'))).toBe('404 route_not_found');
    expect(await code(call('DELETE', '/tasks'))).toBe('400 missing_task_filters');
    expect(await code(call('POST', '/swap-indexes', '[{"indexes":["a"]}]'))).toBe('400 invalid_swap_indexes');
    expect(await code(call('GET', '/indexes', undefined, { authorization: 'Basic x' }))).toBe(
      '401 missing_authorization_header',
    );
    expect(await code(call('GET', '/indexes', undefined, { authorization: 'Bearer x' }))).toBe('403 invalid_api_key');
  });

  test('keeps everything over a restart', async () => {
    expect(await stop()).toBe(0);
    await start();
    const stats = (await (await call('GET', '/indexes/films/stats')).json()) as { numberOfDocuments: number };
    expect(stats.numberOfDocuments).toBe(2);
  });
});

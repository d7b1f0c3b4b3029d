import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  newDatabaseFolder,
  removeFolder,
  type TestServer,
  type WirePage,
} from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { afterEach, describe, expect, test } from 'vitest';
import { packFolder } from '../../../dumps/archive.js';
import type { OlderVersion } from '../../../dumps/older/older-version.js';
import { upgradeDump } from '../../../dumps/older/upgrade-dump.js';
import { type DumpFiles, INSTANCE_UID, olderDump, writeDumpFiles } from './older-dump.test-support.js';

const MASTER_KEY = 'a-master-key-of-24-bytes';
const AUTH = { authorization: `Bearer ${MASTER_KEY}` };
const VERSIONS: readonly OlderVersion[] = ['V1', 'V2', 'V3', 'V4', 'V5'];

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
async function started(folder: string, files: DumpFiles): Promise<TestServer> {
  const content = join(folder, 'content');
  writeDumpFiles(content, files);
  const dump = join(folder, 'older.dump');
  await packFolder(content, dump, `${dump}.partial`);
  const options = ['--master-key', MASTER_KEY, '--import-dump', dump];
  const server = await startTestServer(join(folder, 'data.ms'), options);
  cleanups.push(() => server.stop());
  return server;
}
const get = async <T>(server: TestServer, path: string): Promise<T> =>
  (await server.call<T>('GET', path, undefined, AUTH)).body;

describe('dumps of releases before 1.0', () => {
  test.each(VERSIONS)('%s comes over: documents, settings, history, and what was waiting is done', async (version) => {
    const server = await started(newFolder(), olderDump(version));
    const tasks = await server.allTasksDone();
    const settings = await get<Record<string, unknown>>(server, '/indexes/films/settings');
    expect(settings).toMatchObject({
      searchableAttributes: ['title'],
      filterableAttributes: ['genres'],
      stopWords: ['the'],
      synonyms: { port: ['harbour'] },
      sortableAttributes: version === 'V1' ? ['genres'] : [],
    });
    expect(settings.rankingRules).toEqual(
      {
        V1: ['typo', 'words', 'proximity', 'attribute', 'exactness', 'year:desc'],
        V2: ['words', 'typo', 'year:desc'],
      }[version as 'V1' | 'V2'] ?? ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness', 'year:desc'],
    );
    const films = await get<{ primaryKey: string; createdAt: string }>(server, '/indexes/films');
    const second = { V1: '01', V2: '04', V3: '04', V4: '02', V5: '02' }[version];
    expect(films).toMatchObject({ primaryKey: 'id', createdAt: `2022-10-04T15:51:${second}.123456789Z` });
    const query = { q: 'port', filter: 'genres = Drama' };
    const found = await server.call<{ hits: object[] }>('POST', '/indexes/films/search', query, AUTH);
    expect(found.body.hits).toEqual([{ id: 1, title: 'Harbour', genres: ['Drama'], year: 1950 }]);

    const addition = tasks.find(({ indexUid, status }) => indexUid === 'films' && status === 'succeeded');
    expect(tasks.find(({ details }) => details?.indexedDocuments === 2)).toMatchObject({
      type: 'documentAdditionOrUpdate',
      details: { receivedDocuments: 2 },
    });
    expect(addition).toBeDefined();
    const failed = tasks.find(({ status }) => status === 'failed');
    expect(failed?.error?.code).toBe(version === 'V1' ? 'internal' : 'index_primary_key_no_candidate_found');
    if (version === 'V1') return;
    const books = await server.call('GET', '/indexes/books/documents', undefined, AUTH);
    expect(books.body).toMatchObject({ total: 1 });
    expect(await (await fetch(`${server.url}/indexes/books/documents/b`, { headers: AUTH })).text()).toContain(
      '9007199254740993',
    );
  });

  test.each([
    'V4',
    'V5',
  ] as const)('%s: keys come over but for those whose rights are gone; tasks keep their uids', async (version) => {
    const server = await started(newFolder(), olderDump(version));
    const keys = await get<WirePage<{ uid: string; key: string }>>(server, '/keys');
    expect(keys.results).toHaveLength(1);
    expect(keys.results[0]).toMatchObject({ description: 'films only', actions: ['search'], indexes: ['films'] });
    const tasks = await server.allTasksDone();
    expect(tasks.map(({ uid }) => uid)).toEqual(version === 'V5' ? [4, 3, 2, 1, 0] : [3, 2, 1, 0]);
    if (version === 'V4') return;
    expect(keys.results[0]!.uid).toBe('7d9b3f5a-0000-4000-8000-00000000000a');
    expect(tasks[0]).toMatchObject({ status: 'succeeded', details: { dumpUid: '20221004-155159123' } });
  });

  test('the uid of the instance stays, and a key of V4 gets the same one at each import', async () => {
    const uids = [];
    for (let time = 0; time < 2; time++) {
      const folder = newFolder();
      writeDumpFiles(folder, olderDump('V4'));
      const lines = readFileSync(join(await upgradeDump(folder, 'V4'), 'keys.jsonl'), 'utf8')
        .trim()
        .split('\n');
      uids.push(...lines.map((line) => JSON.parse(line).uid));
    }
    expect(uids).toHaveLength(2);
    expect(uids[0]).toBe(uids[1]);
    expect(uids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('payloads of V2 are JSON, NDJSON or CSV; one that is none of them fails its task', async () => {
    for (const [format, text, status] of [
      ['JsonStream', '{"id":"b"}\n{"id":"c"}', 'enqueued'],
      ['Csv', 'id,pages\nb,7\nc,8\n', 'enqueued'],
      ['Json', '[{"id":', 'failed'],
    ]) {
      const folder = newFolder();
      const files = Object.entries(olderDump('V2')).map(([path, content]) =>
        path.startsWith('updates/update_files') ? [path, text!] : [path, content],
      );
      writeDumpFiles(folder, Object.fromEntries(files));
      const updates = join(folder, 'updates/data.jsonl');
      writeFileSync(updates, readFileSync(updates, 'utf8').replaceAll('"Json"', `"${format}"`));
      const upgraded = await upgradeDump(folder, 'V2');
      const [task] = readFileSync(join(upgraded, 'tasks/queue.jsonl'), 'utf8').split('\n');
      expect(JSON.parse(task!)).toMatchObject({ uid: 0, status });
      if (status === 'failed') expect(JSON.parse(task!).error.code).toBe('malformed_payload');
      else
        expect(readFileSync(join(upgraded, 'tasks/update_files/0.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2);
    }
  });

  test('names that lead out of the dump, and files that are missing, are refused', async () => {
    const wrong: readonly [string, DumpFiles, RegExp][] = [
      ['V5', { 'index_uuids/data.jsonl': [{ uid: '../x', index_meta: { uuid: INSTANCE_UID } }] }, /no uid but "..\/x"/],
      ['V5', { 'index_uuids/data.jsonl': [{ uid: 'x', index_meta: { uuid: '../../x' } }] }, /no UUID but/],
      ['V3', { 'index_uuids/data.jsonl': [{ uid: 'x', uuid: 7 }] }, /no UUID but 7/],
      ['V5', { 'index_uuids/data.jsonl': [{ uid: 'x', index_meta: { uuid: INSTANCE_UID } }] }, /ENOENT/],
      ['V4', { keys: [{ id: [1], actions: 'search' }] }, /a key has no list of actions/],
      ['V1', { 'metadata.json': { indexes: [{ uid: '/etc' }] } }, /no uid but "\/etc"/],
    ];
    for (const [version, change, message] of wrong) {
      const folder = newFolder();
      mkdirSync(join(folder, 'd'));
      writeDumpFiles(join(folder, 'd'), { ...olderDump(version as OlderVersion), ...change });
      await expect(upgradeDump(join(folder, 'd'), version as OlderVersion)).rejects.toThrow(message);
    }
    const files = Object.entries(olderDump('V3')).filter(([path]) => !path.startsWith('updates/updates_files'));
    const folder = newFolder();
    writeDumpFiles(folder, Object.fromEntries(files));
    await expect(upgradeDump(folder, 'V3')).rejects.toThrow('the documents of a waiting task are missing');
  });
});

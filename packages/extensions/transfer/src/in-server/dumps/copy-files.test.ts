/** Lists of dumps and snapshots, and downloads of them. */
import { createHmac } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const MASTER_KEY = 'a master key for downloads';
const ADMIN = { authorization: `Bearer ${MASTER_KEY}` };
/** Names that a path would follow elsewhere, as they are written in an address. */
const ELSEWHERE = ['..%2Fsecret', '%2e%2e%2fsecret', '..%5csecret', 'a%00b', '.', '%2Fetc%2Fpasswd', 'x'.repeat(4_000)];

interface List {
  readonly results: readonly { readonly uid: string; readonly size: number; readonly createdAt: string }[];
}

describe('dumps and snapshots', () => {
  const folder = newDatabaseFolder();
  const dumps = join(folder, 'dumps');
  const snapshots = join(folder, 'snapshots');
  let server: TestServer;
  beforeAll(async () => {
    const copies = ['--dump-dir', dumps, '--snapshot-dir', snapshots];
    server = await startTestServer(join(folder, 'sea films.db'), ['--master-key', MASTER_KEY, ...copies]);
  });
  afterAll(async () => {
    await server.stop();
    expect(server.output()).toBe('');
    removeFolder(folder);
  });

  const list = async (path: string) =>
    (await server.call<List>('GET', `/_fossick${path}`, undefined, ADMIN)).body.results;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers: { ...ADMIN, ...headers } });
  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
  const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;
  /** Makes one and returns its address. */
  async function made(path: '/dumps' | '/snapshots'): Promise<string> {
    await server.call('POST', path, undefined, ADMIN);
    await server.allTasksDone();
    return `/_fossick${path}/${encodeURIComponent((await list(path))[0]!.uid)}/file`;
  }

  test('there is none before one is made', async () => {
    expect(await list('/dumps')).toEqual([]);
    expect(await list('/snapshots')).toEqual([]);
  });

  test('are listed with the latest first, and only whole ones', async () => {
    await made('/dumps');
    await made('/dumps');
    await made('/snapshots');
    const listed = await list('/dumps');
    const there = readdirSync(dumps).sort().reverse();
    expect(listed.map(({ uid }) => `${uid}.dump`)).toEqual(there);
    for (const { uid, size, createdAt } of listed) {
      expect(size).toBe(readFileSync(join(dumps, `${uid}.dump`)).length);
      expect(Date.parse(createdAt)).toBeGreaterThan(Date.now() - 600_000);
    }
    expect((await list('/snapshots')).map(({ uid }) => uid)).toEqual(['sea films.db']);

    // what is written, what others have put there, and what is no file
    mkdirSync(join(dumps, '.20300101-000000000-0123456789ab'));
    mkdirSync(join(dumps, '20300101-000000000.dump'));
    writeFileSync(join(dumps, 'notes.dump'), 'x');
    writeFileSync(join(dumps, '20300101-000000001.dump.part'), 'x');
    writeFileSync(join(folder, 'secret.dump'), 'secret');
    writeFileSync(join(folder, 'secret.snapshot'), 'secret');
    symlinkSync(join(folder, 'secret.dump'), join(dumps, '20300101-000000002.dump'));
    writeFileSync(join(snapshots, 'others.snapshot'), 'x');
    expect(await list('/dumps')).toEqual(listed);
    expect((await list('/snapshots')).length).toBe(1);
    for (const path of [
      '/_fossick/dumps/20300101-000000000',
      '/_fossick/dumps/20300101-000000002',
      '/_fossick/dumps/notes',
      '/_fossick/dumps/.20300101-000000000-0123456789ab',
      '/_fossick/dumps/20300101-000000009',
      '/_fossick/snapshots/others',
      ...ELSEWHERE.flatMap((name) => [`/_fossick/dumps/${name}`, `/_fossick/snapshots/${name}`]),
    ]) {
      const answer = await get(`${path}/file`);
      expect(answer.status, path).toBe(404);
      expect(await codeOf(answer), path).toMatch(/^(dump|snapshot|route)_not_found$/);
    }
  });

  test('are sent as they are, whole and in parts', async () => {
    for (const path of [await made('/dumps'), await made('/snapshots')]) {
      const [kind, name] = path.startsWith('/_fossick/dumps') ? [dumps, '.dump'] : [snapshots, 'sea films.db.snapshot'];
      const file = readFileSync(join(kind, name === '.dump' ? `${path.split('/')[3]}.dump` : name));
      const whole = await get(path, { 'accept-encoding': 'br, gzip' });
      expect(whole.status).toBe(200);
      expect(Object.fromEntries(whole.headers)).toMatchObject({
        'content-type': 'application/gzip',
        'content-length': String(file.length),
        'accept-ranges': 'bytes',
        'content-disposition': expect.stringMatching(/^attachment; filename="[\w.-]+\.(dump|snapshot)"$/),
      });
      expect(whole.headers.get('content-encoding')).toBe(null);
      expect(await bytesOf(whole)).toEqual(file);

      const middle = await get(path, { range: 'bytes=5-20' });
      expect([middle.status, middle.headers.get('content-range')]).toEqual([206, `bytes 5-20/${file.length}`]);
      expect(middle.headers.get('content-length')).toBe('16');
      expect(await bytesOf(middle)).toEqual(file.subarray(5, 21));
      expect(await bytesOf(await get(path, { range: `bytes=${file.length - 3}-` }))).toEqual(file.subarray(-3));
      expect(await bytesOf(await get(path, { range: 'bytes=-7' }))).toEqual(file.subarray(-7));
      expect(await bytesOf(await get(path, { range: 'bytes=0-1,4-5' }))).toEqual(file);

      const beyond = await get(path, { range: `bytes=${file.length}-` });
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${file.length}`]);
      expect(await codeOf(beyond)).toBe('unsatisfiable_range');
    }
  });

  test('the rest of a file that was replaced is the whole new one', async () => {
    const path = await made('/snapshots');
    const tag = (await get(path, { range: 'bytes=0-3' })).headers.get('etag')!;
    const same = await get(path, { range: 'bytes=4-', 'if-range': tag });
    expect(same.status).toBe(206);
    await same.arrayBuffer();
    await server.call('POST', '/indexes', { uid: 'more' }, ADMIN);
    await made('/snapshots');
    const other = await get(path, { range: 'bytes=4-', 'if-range': tag });
    expect(other.status).toBe(200);
    expect(await bytesOf(other)).toEqual(readFileSync(join(snapshots, 'sea films.db.snapshot')));
  });

  test('a file that vanishes is missing, and one that vanishes while it is sent is sent', async () => {
    const path = await made('/dumps');
    const file = join(dumps, `${path.split('/')[3]}.dump`);
    const bytes = Buffer.alloc(8 << 20, 'fossick');
    writeFileSync(file, bytes);
    const answer = await get(path);
    rmSync(file);
    expect((await bytesOf(answer)).equals(bytes)).toBe(true);
    expect(await codeOf(await get(path))).toBe('dump_not_found');
    renameSync(dumps, join(folder, 'away'));
    expect(await list('/dumps')).toEqual([]);
    expect(await codeOf(await get(path))).toBe('dump_not_found');
    renameSync(join(folder, 'away'), dumps);
  });

  test('are for the master key and keys of everything', async () => {
    const paths = ['/_fossick/dumps', await made('/dumps'), '/_fossick/snapshots', await made('/snapshots')];
    const statusesOf = async (headers: Record<string, string>) => {
      const statuses: number[] = [];
      for (const path of paths) {
        const answer = await fetch(server.url + path, { headers });
        await answer.arrayBuffer();
        statuses.push(answer.status);
      }
      return [...new Set(statuses)];
    };
    const keyOf = async (actions: readonly string[], indexes: readonly string[]) => {
      const body = { actions, indexes, expiresAt: null };
      return (await server.call<{ uid: string; key: string }>('POST', '/keys', body, ADMIN)).body;
    };
    const all = await keyOf(['*'], ['*']);
    expect(await statusesOf({ authorization: `Bearer ${all.key}` })).toEqual([200]);
    expect(await statusesOf({})).toEqual([401]);
    const refused = [
      await keyOf(['*'], ['films']),
      await keyOf(['*'], ['a*', 'f*']),
      await keyOf(['*.get'], ['*']),
      await keyOf(['dumps.*', 'snapshots.*', 'documents.*', 'keys.get'], ['*']),
      await keyOf(['dumps.create', 'snapshots.create'], ['films']),
    ].map(({ key }) => key);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ apiKeyUid: all.uid, searchRules: ['*'] })}`;
    const token = `${text}.${createHmac('sha256', all.key).update(text).digest('base64url')}`;
    for (const key of [...refused, token]) expect(await statusesOf({ authorization: `Bearer ${key}` })).toEqual([403]);
  });
});

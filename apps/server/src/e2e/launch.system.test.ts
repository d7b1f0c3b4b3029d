import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { BIN_FILE } from './server-command.test-support.js';
import { freePort, newDatabaseFolder, pause, removeFolder, startServerProcess } from './server-process.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}

describe.skipIf(!existsSync(BUILT_FILE))('the version of a database', () => {
  test('decides whether it is opened, and an upgrade leaves a task', async () => {
    const folder = newFolder();
    const first = await startServerProcess(folder);
    await first.call('POST', '/indexes/a/documents', [{ id: 1 }]);
    await first.allTasksDone();
    await first.stop();
    const file = join(folder, 'VERSION');
    const current = readFileSync(file, 'utf8');

    for (const [version, reason] of [
      ['99.0.0', 'newer'],
      ['1.11.3', 'start from 1.12.0'],
      ['1.40.0', '--upgrade-db'],
      ['seven', 'no version'],
    ] as const) {
      writeFileSync(file, version);
      await expect(startServerProcess(folder)).rejects.toThrow(reason);
      expect(readFileSync(file, 'utf8')).toBe(version);
    }
    writeFileSync(file, '1.40.0');
    const server = await startServerProcess(folder, ['--upgrade-db']);
    cleanups.push(() => server.kill());
    const [task] = await server.allTasksDone();
    expect(task).toMatchObject({
      type: 'databaseUpgrade',
      status: 'succeeded',
      indexUid: null,
      details: { upgradeFrom: 'v1.40.0', upgradeTo: `v${current}` },
    });
    expect(readFileSync(file, 'utf8')).toBe(current);
    for (const type of ['databaseUpgrade', 'upgradeDatabase'])
      expect((await server.call('GET', `/tasks?types=${type}`)).body).toMatchObject({ total: 1 });
    expect((await server.call('GET', '/indexes/a/documents')).body).toMatchObject({ total: 1 });
  });
});

describe.skipIf(!existsSync(BUILT_FILE) || !HAS_OPENSSL)('TLS', () => {
  test('serves HTTP/1 and HTTP/2 with the certificate of the command line', async () => {
    const folder = newFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '2'];
    const files = ['-nodes', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...files, ...subject], { stdio: 'ignore' });
    const port = await freePort();
    const tls = ['--ssl-cert-path', cert, '--ssl-key-path', key, '--ssl-resumption', '--ssl-tickets'];
    const where = ['--db-path', join(folder, 'db'), '--http-addr', `127.0.0.1:${port}`, '--no-analytics'];
    const child: ChildProcess = spawn(process.execPath, [BIN_FILE, ...where, ...tls], { stdio: 'ignore' });
    cleanups.push(() => void child.kill('SIGKILL'));

    let health = '';
    for (let attempt = 0; attempt < 1_200 && health === ''; attempt++) {
      health = await getOverHttp1(port).catch(() => '');
      if (health === '') await pause(50);
    }
    expect(JSON.parse(health)).toEqual({ status: 'available' });
    expect(await postOverHttp2(port)).toMatchObject({ uid: 'over-http2', type: 'indexCreation' });
  });
});

function getOverHttp1(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: '/health', rejectUnauthorized: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.once('end', () => resolve(text));
    });
    call.once('error', reject);
    call.end();
  });
}

async function postOverHttp2(port: number): Promise<unknown> {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  try {
    const body = JSON.stringify({ uid: 'over-http2' });
    const headers = { ':method': 'POST', ':path': '/indexes', 'content-type': 'application/json' };
    const stream = session.request(headers);
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    stream.end(body);
    await new Promise((resolve, reject) => {
      stream.once('end', resolve);
      stream.once('error', reject);
      session.once('error', reject);
    });
    const { indexUid, type } = JSON.parse(text) as { indexUid: string; type: string };
    return { uid: indexUid, type };
  } finally {
    session.close();
  }
}

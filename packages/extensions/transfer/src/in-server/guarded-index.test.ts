import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { newDatabaseFolder, removeFolder } from '@fossick/server/e2e/server-process.test-support';
import { startServerWith } from '@fossick/server/e2e/test-server.test-support';
import { LEDGER, LEDGER_UID } from '@fossick/server/extensions/guarding-extension.test-support';
import { expect, it, onTestFinished } from 'vitest';
import type { transfer } from '../index.js';

/** The writer thread loads it, too. */
const BUILT = new URL('../../dist/index.js', import.meta.url).href;
const MASTER_KEY = 'a-master-key-of-the-source';
const ADMIN = { authorization: `Bearer ${MASTER_KEY}` };
const CANARY = 'canary';

/** An address that keeps what is posted to it. */
async function startReceiver(): Promise<{ url: string; text(): string }> {
  let text = '';
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const bytes = Buffer.concat(parts);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      text += `${request.method} ${request.url}\n${body.toString()}\n`;
      const status = request.method === 'GET' ? 404 : 202;
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"taskUid":0,"code":"index_not_found"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, text: () => text };
}

it('an index that is guarded is not exported by who may not see it', async () => {
  const folder = newDatabaseFolder();
  const options = ['--master-key', MASTER_KEY, '--experimental-allowed-ip-networks', '127.0.0.0/8'];
  const built = (await import(/* @vite-ignore */ BUILT)) as { transfer: typeof transfer };
  const server = await startServerWith([LEDGER, built.transfer], folder, options);
  onTestFinished(async () => {
    await server.stop();
    removeFolder(folder);
  });
  const ask = <T = object>(method: string, path: string, body: unknown, headers = ADMIN) =>
    server.call<T>(method, path, body, headers);
  await ask('POST', `/indexes/${LEDGER_UID}/documents`, [{ id: 1, q: CANARY }]);
  await ask('POST', '/indexes/films/documents', [{ id: 1, title: 'a' }]);
  await server.allTasksDone();
  const key = { actions: ['export', 'tasks.get'], indexes: ['*'], expiresAt: null };
  const { body: made } = await ask<{ key: string }>('POST', '/keys', key);
  const asOther = { authorization: `Bearer ${made.key}` };

  const target = await startReceiver();
  for (const indexes of [{ '*': {} }, { '_*': {} }, { '_fossick*': {}, films: {} }, { '': {} }])
    expect((await ask('POST', '/export', { url: target.url, indexes }, asOther)).status).toBe(200);
  expect((await ask('POST', '/export', { url: target.url, indexes: { [LEDGER_UID]: {} } }, asOther)).status).toBe(403);
  await server.allTasksDone();
  expect(target.text()).toContain('POST /indexes/films/documents');
  expect(target.text()).not.toContain(CANARY);
  expect(target.text()).not.toContain(`/indexes/${LEDGER_UID}`);
  const open = await startReceiver();
  await ask('POST', '/export', { url: open.url });
  await server.allTasksDone();
  expect(open.text()).toContain(CANARY);
  // and what others see of that export does not name the index
  const { body } = await ask('GET', '/tasks?types=export&limit=1', undefined, asOther);
  expect(JSON.stringify(body)).toContain('films');
  expect(JSON.stringify(body)).not.toContain(LEDGER_UID);
});

import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startServerWith } from '@fossick/server/e2e/test-server.test-support';
import { LEDGER, LEDGER_UID } from '@fossick/server/extensions/guarding-extension.test-support';
import { expect, it, onTestFinished } from 'vitest';
import type { webhooks } from '../index.js';
import { type Receiver, startReceiver } from './receiver.test-support.js';

const BUILT = new URL('../../dist/index.js', import.meta.url).href;
const OPEN = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
const CANARY = 'zyxcanary';

/** Over the folder, with an index that not everybody sees; the writer thread loads the built module. */
async function start(folder: string, options: readonly string[]): Promise<TestServer> {
  const built = ((await import(/* @vite-ignore */ BUILT)) as { webhooks: typeof webhooks }).webhooks;
  return startServerWith([LEDGER, built], folder, [...OPEN, ...options]);
}
function newFolder(): string {
  const folder = newDatabaseFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}
async function newReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}
const PATIENT = { timeout: 60_000 };

it('finished tasks are posted to the webhooks of the command line and of the API, those of hidden indexes are not', async () => {
  const folder = newFolder();
  const [fixed, own] = [await newReceiver(), await newReceiver()];
  const server = await start(folder, ['--task-webhook-url', fixed.url]);
  expect((await server.call('POST', '/webhooks', { url: own.url })).status).toBe(201);
  const documents = `/indexes/${LEDGER_UID}/documents?customMetadata=${CANARY}`;
  await server.call('POST', documents, [{ id: 1, q: CANARY }]);
  await server.call('PATCH', `/indexes/${LEDGER_UID}`, { primaryKey: 'id' });
  await server.call('POST', '/indexes/films/documents', [{ id: 77, title: 'The end' }]);
  await server.allTasksDone();
  for (const receiver of [fixed, own])
    await expect.poll(() => receiver.text(), PATIENT).toContain('"receivedDocuments":1');
  await server.stop();
  for (const receiver of [fixed, own]) {
    const lines = receiver.text().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as { indexUid: string })).toMatchObject([{ indexUid: 'films' }]);
    expect(receiver.text()).not.toContain(CANARY);
  }
});

it('nothing is posted by a server that leaves webhooks out, which keeps them', async () => {
  const folder = newFolder();
  const receiver = await newReceiver();
  const first = await start(folder, []);
  await first.call('POST', '/webhooks', { url: receiver.url, headers: { 'x-a': 'b' } });
  const { body: before } = await first.call('GET', '/webhooks');
  await first.stop();
  const without = await start(folder, ['--extensions=', '--task-webhook-url', receiver.url]);
  expect((await without.call('GET', '/webhooks')).status).toBe(404);
  await without.call('POST', '/indexes', { uid: 'quiet' });
  await without.allTasksDone();
  // a stop waits for deliveries
  await without.stop();
  expect(receiver.text()).toBe('');
  const again = await start(folder, []);
  expect((await again.call('GET', '/webhooks')).body).toEqual(before);
  await again.call('POST', '/indexes', { uid: 'loud' });
  await again.allTasksDone();
  await again.stop();
  expect(receiver.text()).toContain('"indexUid":"loud"');
});

it('a receiver that cannot be reached is told in the log, and the metrics count what is dropped', async () => {
  const server = await start(newFolder(), ['--task-webhook-url', 'http://127.0.0.1:9/', '--extensions', 'webhooks']);
  await server.call('POST', '/indexes', { uid: 'films' });
  await server.allTasksDone();
  await expect.poll(() => server.output(), PATIENT).toContain('could not be told of finished tasks');
  await server.call('PATCH', '/experimental-features', { metrics: true });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('# TYPE meilisearch_webhook_dropped_deliveries counter\n');
  expect(metrics).toContain('\nmeilisearch_webhook_dropped_deliveries 0\n');
  await server.stop();
});

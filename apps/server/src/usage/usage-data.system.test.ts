import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InstanceValues, openLocalChanges } from '@fossick/instance';
import { openMemoryStore } from '@fossick/storage';
import { afterEach, describe, expect, test } from 'vitest';
import { BIN_FILE } from '../e2e/server-command.test-support.js';
import { freePort, pause, startServerProcess } from '../e2e/server-process.test-support.js';
import { BUNDLE_BYTES_MAX } from './usage-counts.js';
import { type InstanceFacts, UsageReports } from './usage-reports.js';

const FACTS: InstanceFacts = {
  indexCount: 1,
  documentCount: 2,
  databaseBytes: 3,
  experimentalFeatures: [],
  isProduction: false,
  hasMasterKey: true,
};
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Receiver {
  readonly url: string;
  readonly bodies: string[];
}
/** Takes what is posted to it. */
async function receiver(status = 200): Promise<Receiver> {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.once('end', () => {
      bodies.push(text);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}
async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 6_000 && !isSo(); i++) await pause(10);
  expect(isSo()).toBe(true);
}
function reports(options: Partial<ConstructorParameters<typeof UsageReports>[0]>): UsageReports {
  const store = openMemoryStore();
  const values = new InstanceValues(store, openLocalChanges(store));
  const made = new UsageReports({
    isOn: true,
    url: null,
    values,
    facts: () => FACTS,
    onFault: () => undefined,
    ...options,
  });
  cleanups.push(() => made.stop());
  return made;
}

describe('bundles of usage data', () => {
  test('are sent every period, to the address of the operator, and begin anew', async () => {
    const { url, bodies } = await receiver();
    const made = reports({ url, periodMs: 50 });
    made.counts!.feature('search.q');
    await until(() => bodies.length >= 2);
    const [first, second] = bodies.map(
      (text) => JSON.parse(text) as { instance: string; features: object; system: object },
    );
    expect(first).toMatchObject({ features: { 'search.q': 1 }, system: { indexCount: 1, documentCount: 2 } });
    expect(second).toMatchObject({ features: {}, instance: first!.instance });
  });

  test('are sent before they grow beyond their size', async () => {
    const { url, bodies } = await receiver();
    const made = reports({ url });
    for (let i = 0; i < 3000; i++)
      made.counts!.request('GET', `/a/route/of/a/hundred/characters/or/so/${'x'.repeat(60)}/${i}`, 200, 1);
    await until(() => bodies.length >= 1);
    for (const text of bodies) expect(text.length).toBeLessThan(BUNDLE_BYTES_MAX);
    expect(Object.keys(made.counts!.toJson().routes).length).toBeLessThan(3000);
  });

  test('go nowhere without an address, and are nothing when it is switched off', async () => {
    const made = reports({ periodMs: 20 });
    made.counts!.feature('search.q');
    expect(made.toJson()).toMatchObject({ enabled: true, sentTo: null, bundle: { features: { 'search.q': 1 } } });
    const off = reports({ isOn: false, url: 'http://127.0.0.1:1' });
    expect(off.counts).toBeNull();
    expect(off.toJson()).toEqual({ enabled: false, sentTo: null, bundle: null });
  });

  test('that cannot be delivered are dropped with a line, and nothing waits for them', async () => {
    const faults: unknown[] = [];
    const onFault = (error: unknown): void => void faults.push(error);
    const { url } = await receiver(503);
    reports({ url, periodMs: 30, onFault });
    reports({ url: `http://127.0.0.1:${await freePort()}`, periodMs: 30, onFault });
    await until(() => faults.length >= 4);
    expect(String(faults[0])).toContain('usage data could not be sent');
  });
});

describe('a server', () => {
  test('counts no content, no names that users gave, and no addresses', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-usage-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const key = 'secret-master-key-of-some-length';
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const words = ['--db-path', join(folder, 'db'), '--http-addr', `127.0.0.1:${port}`, '--master-key', key];
    const child = spawn(process.execPath, [BIN_FILE, ...words], { stdio: 'ignore' });
    cleanups.push(() => void child.kill('SIGKILL'));
    for (
      let i = 0;
      i < 3_000 &&
      !(await fetch(`${url}/health`).then(
        () => true,
        () => false,
      ));
      i++
    )
      await pause(20);
    const call = (method: string, path: string, body?: unknown): Promise<Response> =>
      fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': 'secret-agent' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    await call('POST', '/indexes/secret-index/documents', [{ id: 'secret-id', secretField: 'secret value' }]);
    await call('PATCH', '/indexes/secret-index/settings', {
      synonyms: { secret: ['secrets'] },
      filterableAttributes: ['secretField'],
    });
    await call('POST', '/indexes/secret-index/search', {
      q: 'secret words',
      filter: 'secretField = secret',
      secretMember: 1,
    });
    await call('POST', '/indexes/secret-index/search', { q: 'secret words', attributesToRetrieve: ['secretField'] });
    await call('GET', '/indexes/secret-index/search?q=secret&secret=1');
    await call('POST', '/multi-search', {
      federation: { facetsByIndex: { 'secret-index': [] } },
      queries: [{ indexUid: 'secret-index', q: 'secret' }],
    });
    await call('GET', '/secret/path/of/nobody');
    await call('POST', '/keys', { name: 'secret', actions: ['search'], indexes: ['secret-index'], expiresAt: null });
    const shown = await (await call('GET', '/usage-data')).text();
    expect(JSON.parse(shown)).toMatchObject({
      enabled: true,
      sentTo: null,
      bundle: {
        routes: { 'POST /indexes/:indexUid/documents 2xx': { requests: 1 } },
        features: {
          'documents.json.replace': 1,
          'settings.synonyms': 1,
          'multiSearch.q': 1,
          'federation.facetsByIndex': 1,
        },
        system: { hasMasterKey: true },
      },
    });
    expect(shown).not.toMatch(/secret|127\.0\.0\.1/i);
    expect((await fetch(`${url}/usage-data`)).status).toBe(401);
  }, 60_000);

  test('counts nothing with --no-analytics', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-usage-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const server = await startServerProcess(folder);
    cleanups.push(() => server.stop());
    expect((await server.call('GET', '/usage-data')).body).toEqual({ enabled: false, sentTo: null, bundle: null });
  }, 60_000);
});

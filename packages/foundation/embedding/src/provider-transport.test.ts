import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmbedder, type EmbeddingError, type RequestReport } from '@fossick/embedders';
import { NetworkPolicy } from '@fossick/instance';
import { afterEach, expect, test, vi } from 'vitest';
import { policyTransport } from './provider-transport.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test.each([
  ['an address', '127.0.0.1'],
  ['a name', 'localhost'],
])('%s that the policy forbids is final at once', async (_kind, host) => {
  const policy = new NetworkPolicy(null);
  const lookup = vi.spyOn(policy, 'lookup');
  const { transport, close } = policyTransport(policy);
  const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  cleanups.push(() => server.close(), close);
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}/api/embed`;
  const embedder = createEmbedder({ source: 'ollama', model: 'm', url }, { transport, limits: { retryMs: 20_000 } });
  const reports: RequestReport[] = [];
  const fault = await embedder
    .embed([{ kind: 'text', text: 'a' }], { onRequest: (report) => reports.push(report) })
    .catch((error: EmbeddingError) => error);
  expect(fault).toMatchObject({ kind: 'unreachable' });
  expect((fault as EmbeddingError).message).toContain(`\`${host}\` is on a private network, which only`);
  expect(reports).toHaveLength(1);
  expect(lookup.mock.calls.length).toBeLessThanOrEqual(1);
});

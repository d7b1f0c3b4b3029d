import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NetworkPolicy, OutboundClient } from '@fossick/outbound';
import { afterEach, expect, test, vi } from 'vitest';
import type { EmbeddingError } from '../embedding-error.js';
import { createEmbedder } from '../kinds/create-embedder.js';
import type { RequestReport } from '../port.js';

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
  const client = new OutboundClient({ policy });
  const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  cleanups.push(
    () => server.close(),
    () => client.close(),
  );
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}/api/embed`;
  const embedder = createEmbedder({ source: 'ollama', model: 'm', url }, { client, limits: { retryMs: 20_000 } });
  const reports: RequestReport[] = [];
  const fault = await embedder
    .embed([{ kind: 'text', text: 'a' }], { onRequest: (report) => reports.push(report) })
    .catch((error: EmbeddingError) => error);
  expect(fault).toMatchObject({ kind: 'unreachable' });
  expect((fault as EmbeddingError).message).toContain(`\`${host}\` is on a private network, which only`);
  expect(reports).toHaveLength(1);
  expect(lookup.mock.calls.length).toBeLessThanOrEqual(1);
});

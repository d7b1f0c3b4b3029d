import { NetworkPolicy } from '@fossick/outbound';
import { expect, test, vi } from 'vitest';
import { RemoteClient } from './remote-client.js';

test.each([
  ['127.0.0.1', 0],
  ['localhost', 1],
])('a remote at %s, which the policy forbids, is not tried again', async (host, lookups) => {
  const policy = new NetworkPolicy(null);
  const lookup = vi.spyOn(policy, 'lookup');
  const client = new RemoteClient({ policy, timeoutMs: 5_000, answerLimitBytes: 1_000, answersLimitBytes: 1_000 });
  const remote = { url: `http://${host}:9`, searchApiKey: null, writeApiKey: null };
  const failure = client.holding((reservation) =>
    client.post(remote, {
      path: '/multi-search',
      body: {},
      headers: {},
      reservation,
      signal: AbortSignal.timeout(5_000),
      read: (value) => value,
    }),
  );
  await expect(failure).rejects.toMatchObject({ code: 'proxy_could_not_send_request' });
  await expect(failure).rejects.toThrow(`\`${host}\` is on a private network`);
  expect(lookup).toHaveBeenCalledTimes(lookups);
  await client.close();
});

/** Providers that are asked again until the time for that is over. */
import { afterAll, beforeAll, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { expectFailures } from './failures.test-support.js';
import { type Provider, startProvider } from './provider.test-support.js';

const folder = newDatabaseFolder();
let provider: Provider;
let server: ServerProcess;
beforeAll(async () => {
  provider = await startProvider();
  server = await startServerProcess(folder, ['--experimental-allowed-ip-networks', '127.0.0.0/8'], {
    MEILI_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS: '4',
  });
});
afterAll(async () => {
  await server?.stop();
  await provider?.close();
  removeFolder(folder);
});

test('a provider that fails for long fails the task with its code, naming document and address, and the next task goes on', () =>
  expectFailures(server, provider, [
    ['is down', (_, response) => void response.destroy(), 'could not be reached'],
    ['is slow', () => undefined, 'did not answer'],
  ]));

import { CONTEXTS } from '@fossick/server/e2e/edit-contexts.test-support';
import { newDatabaseFolder, removeFolder } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { expect, it } from 'vitest';
import { startReceiver } from './receiver.test-support.js';

it('a webhook is told the context of an edit with its members in the order in which they came', async () => {
  const folder = newDatabaseFolder();
  const receiver = await startReceiver();
  const server = await startTestServer(folder, ['--experimental-allowed-ip-networks', '127.0.0.0/8']);
  try {
    await server.call('PATCH', '/experimental-features', { editDocumentsByFunction: true });
    await server.call('POST', '/webhooks', { url: receiver.url });
    await server.call('POST', '/indexes/plans/documents', [{ id: 1 }]);
    for (const context of CONTEXTS) {
      const body = `{"context":${context},"function":"doc.whole = context"}`;
      const headers = { 'content-type': 'application/json' };
      await fetch(`${server.url}/indexes/plans/documents/edit`, { method: 'POST', headers, body });
      await expect
        .poll(() => receiver.text().includes(`"context":${context},"function":`), { timeout: 60_000 })
        .toBe(true);
    }
  } finally {
    await server.stop();
    receiver.close();
    removeFolder(folder);
  }
});

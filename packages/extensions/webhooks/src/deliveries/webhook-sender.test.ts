import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { NetworkPolicy } from '@fossick/outbound';
import type { Task } from '@fossick/tasks';
import { expect, it } from 'vitest';
import { FINISHED_TASK as task } from '../task.test-support.js';
import { WebhookSender } from './webhook-sender.js';

const hidden: Task = { ...task, uid: 8, content: { type: 'indexDeletion', indexUid: '_fossick_ledger' } };

it('posts one compressed line a task, but of hidden indexes, and nothing to a network that is closed', async () => {
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(Buffer.concat(chunks));
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const failures: string[] = [];
  for (const allowed of ['127.0.0.0/8', null]) {
    const sender = new WebhookSender({
      policy: new NetworkPolicy(allowed),
      webhooks: () => [{ uuid: 'x', url, headers: {} }],
      hiddenIndexUids: ['_fossick_ledger'],
      onFailure: (message) => failures.push(message),
    });
    sender.send([task, task, hidden]);
    sender.send([hidden]);
    await sender.stop();
  }
  server.close();
  const lines = gunzipSync(bodies[0]!).toString().split('\n');
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[0]!)).toMatchObject({ uid: 7, indexUid: 'films' });
  expect(bodies).toHaveLength(1);
  expect(failures).toHaveLength(1);
});

import { NetworkPolicy } from '@fossick/outbound';
import type { WriterHost } from '@fossick/runtime/extension';
import { expect, test } from 'vitest';
import { openWebhooks } from './open-webhooks.js';
import { FINISHED_TASK as task } from './task.test-support.js';
import { type ForWriter, openInWriter } from './webhooks-in-writer.js';

test('dropped deliveries are counted across threads that take the place of one another', async () => {
  const values: WriterHost['values'] = {
    get: () => undefined,
    put: async () => undefined,
    change: async (_, next) => next(undefined),
  };
  const given: ForWriter = {
    fixed: { uuid: 'x', url: 'http://192.0.2.1/', headers: {} },
    droppedCount: new Int32Array(new SharedArrayBuffer(4)),
  };
  const host: Partial<WriterHost> = {
    given,
    values,
    policy: new NetworkPolicy(null),
    hiddenIndexUids: [],
    taskKinds: [],
    reader: () => Promise.reject(new Error('it reads no index')),
    features: () => ({ isOn: () => false }),
    isEnding: () => false,
    folder: () => '',
    onFault: () => undefined,
  };
  const { metrics } = openWebhooks(given, values);
  // what a thread told before it ended
  Atomics.add(given.droppedCount, 0, 3);
  const part = openInWriter(host as WriterHost);
  part.afterCommit!([task]);
  await part.close!();
  expect(metrics!()).toMatch(/^# HELP .*\n# TYPE meilisearch_webhook_dropped_deliveries counter\n.* 3\n$/);
});

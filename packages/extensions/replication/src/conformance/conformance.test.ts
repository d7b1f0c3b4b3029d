import { OBJECT_STORES } from '@fossick/objects/conformance/object-stores.test-support';
import { MemoryLog } from '../logs/memory-log.test-support.js';
import { ObjectLog } from '../logs/object-log.js';
import type { CommitLog } from '../port.js';
import { describeCommitLog } from './commit-log.test-support.js';

describeCommitLog('memory', async () => {
  const log: CommitLog = new MemoryLog();
  return { log, again: async () => log };
});
for (const [name, open] of Object.entries(OBJECT_STORES)) {
  describeCommitLog(`of objects, ${name}`, async () => {
    const { objects, again, close } = await open();
    const log = new ObjectLog({ objects, name: 'main' });
    return { log, again: async () => new ObjectLog({ objects: again(), name: 'main' }), ...(close && { close }) };
  });
}

import { probeObjects } from '@fossick/objects';
import { ObjectLog, type ObjectLogOptions } from './object-log.js';

/**
 * A log of objects in a store that was probed first: each node does that at each start. Rejects with UnsafeStoreError when
 * the store lets several creates of one object win, and with the store's error when it does not answer.
 *
 * @param probeId an id that no other start has
 */
export async function openObjectLog(options: ObjectLogOptions, probeId: string): Promise<ObjectLog> {
  const log = new ObjectLog(options);
  await probeObjects(options.objects, { key: `log/${options.name}/probes/${probeId}` });
  return log;
}

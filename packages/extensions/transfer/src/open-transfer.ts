import type { ExtensionHost, ExtensionRoute, OpenExtension } from '@fossick/runtime/extension';
import type { AddedContent } from '@fossick/tasks';
import { copyFileRoutes } from './copy-files.js';
import { exportRoute } from './export/export-route.js';
import type { TransferOptions } from './options.js';
import { repeatSnapshots } from './schedule.js';

export interface ServedTransfer
  extends Pick<TransferOptions, 'dumpFolder' | 'snapshotFolder' | 'snapshotEverySeconds'> {
  /** Of the requests that write documents. */
  readonly bodyBytesMax: number;
}

/** A route that registers a task for a copy of the whole instance. */
const copyRoute = (path: string, action: string, content: AddedContent): ExtensionRoute => ({
  method: 'POST',
  path,
  action,
  answer: (request) => request.register(content, 202),
});

/** What the HTTP thread has of it. */
export function openTransfer({ instance, log, dbPath }: ExtensionHost, given: ServedTransfer): OpenExtension {
  const onFault = (error: unknown): void => log.error(error instanceof Error ? error.message : String(error));
  const register = (): void => void instance.intake.enqueue({ type: 'snapshotCreation' }).catch(onFault);
  const snapshots = repeatSnapshots(given.snapshotEverySeconds, register, onFault);
  return {
    routes: [
      copyRoute('/dumps', 'dumps.create', { type: 'dumpCreation' }),
      copyRoute('/snapshots', 'snapshots.create', { type: 'snapshotCreation' }),
      ...copyFileRoutes(dbPath, given.dumpFolder, given.snapshotFolder),
      exportRoute(given.bodyBytesMax),
    ],
    describe: async () => (await import('./description.js')).TRANSFER_PART,
    stopping: () => snapshots.stop(),
  };
}

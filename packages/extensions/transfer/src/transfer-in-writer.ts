import type { WriterHost, WriterPart } from '@fossick/runtime/extension';
import { openLmdbStore } from '@fossick/storage';
import type { ExecuteContext } from '@fossick/tasks';
import type { ForWriter } from './extension.js';
import type { ExportContent } from './task-kinds.js';

/** The part in the writer thread: it does the tasks. What they need is loaded with the first of them. */
export function openInWriter(host: WriterHost): WriterPart {
  const { reader, features, policy, isEnding, folders, tasks: log, archived } = host;
  const { s3, dumpFolder, snapshotFolder } = host.given as ForWriter;
  const preparePayloads = host.preparePayloads.bind(host);
  /** What is sent may take long: its task is put back when the server stops, and begins again with the next start. */
  const untilEnd = (context: ExecuteContext): ExecuteContext => ({
    ...context,
    isCanceled: () => context.isCanceled() || isEnding(),
  });
  const ofCopy = (context: ExecuteContext): ExecuteContext => (s3.bucket === null ? context : untilEnd(context));
  return {
    runners: {
      async export([task], context) {
        const { exportIndexes } = await import('./export/export-indexes.js');
        const options = { engine: await reader(), features: features(), policy };
        const details = await exportIndexes(options, task!.content as ExportContent, untilEnd(context));
        return [{ status: 'succeeded', details }];
      },
      async snapshotCreation(tasks, context) {
        const { writeSnapshot } = await import('./snapshots/write-snapshot.js');
        await writeSnapshot({ ...folders, snapshotFolder, preparePayloads }, ofCopy(context), s3);
        return tasks.map(() => ({ status: 'succeeded' }));
      },
      async dumpCreation([task], context) {
        const { writeDump } = await import('./dumps/write-dump.js');
        const authStore = openLmdbStore({ folder: folders.authFolder });
        try {
          const sources = { engine: await reader(), tasks: log, authStore, dumpFolder, s3, preparePayloads };
          const dumpUid = await writeDump({ ...sources, archived: await archived() }, task!, ofCopy(context));
          return [{ status: 'succeeded', details: { dumpUid } }];
        } finally {
          await authStore.close();
        }
      },
    },
  };
}

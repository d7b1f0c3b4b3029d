import { resolve } from 'node:path';
import { expectFolder, LaunchError } from '@fossick/instance';
import type { Extension } from '@fossick/runtime/extension';
import { COPY_RESTORE, TRANSFER_COMMANDS } from './commands.js';
import { checkS3Bucket, readTransfer, TRANSFER_OPTIONS, type TransferOptions } from './options.js';
import { TASK_KINDS } from './task-kinds.js';

/** What the part in the writer thread gets. */
export type ForWriter = Pick<TransferOptions, 'dumpFolder' | 'snapshotFolder' | 's3'>;

/** An instance on its way. All else of this package is loaded by `open`, by the writer thread, and by imports and commands. */
export const transfer: Extension = {
  name: 'transfer',
  options: TRANSFER_OPTIONS,
  taskKinds: TASK_KINDS,
  commands: TRANSFER_COMMANDS,
  restore: COPY_RESTORE,
  writer: new URL('./transfer-in-writer.js', import.meta.url),
  configure(values) {
    const bodyBytesMax = values.bytes('http-payload-size-limit')!;
    checkS3Bucket(values);
    const { s3, launchImport, snapshotEverySeconds, ...folders } = readTransfer(values);
    const forWriter: ForWriter = {
      dumpFolder: resolve(folders.dumpFolder),
      snapshotFolder: resolve(folders.snapshotFolder),
      s3,
    };
    const place = s3.bucket === null ? forWriter.snapshotFolder : `bucket ${s3.bucket} at ${s3.endpoint ?? 'AWS'}`;
    return {
      forWriter,
      shown: [
        ['dumps', forWriter.dumpFolder],
        ['snapshots', snapshotEverySeconds === null ? place : `${place}, one every ${snapshotEverySeconds} seconds`],
      ],
      async prepare({ options, dbPath, archived }) {
        // only a server with a bucket loads it
        if (s3.bucket !== null) await checkStore(s3, s3.bucket);
        expectFolder(forWriter.dumpFolder, 'name another folder with --dump-dir');
        expectFolder(forWriter.snapshotFolder, 'name another folder with --snapshot-dir');
        const { sweepWorkspaces } = await import('./workspace.js');
        for (const folder of [forWriter.dumpFolder, forWriter.snapshotFolder]) sweepWorkspaces(folder);
        if (launchImport === null) return;
        const { importAtLaunch } = await import('./launch-import.js');
        await importAtLaunch(launchImport, dbPath, { options, s3, archived });
      },
      open: async (host) =>
        (await import('./open-transfer.js')).openTransfer(host, { ...forWriter, bodyBytesMax, snapshotEverySeconds }),
    };
  },
};

/**
 * Checks the options of an object store as far as that needs no request: the server starts while the store is away. Throws
 * LaunchError.
 */
async function checkStore(s3: TransferOptions['s3'], bucket: string): Promise<void> {
  const { checkUploads } = await import('./objects/archive-uploads.js');
  try {
    checkUploads(s3, bucket);
  } catch (error) {
    throw new LaunchError(`snapshots and dumps cannot go to the bucket ${bucket}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

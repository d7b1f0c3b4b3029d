import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '@fossick/base/durable-names';
import { exportIndexFiles } from '@fossick/index';
import type { ServerOptions } from '@fossick/instance';
import { replaceFile } from '@fossick/storage';
import { withClosedDatabase } from './closed-database.js';

const MANIFEST = 'manifest.json';

/**
 * Writes the last commit of an index of a closed database as files that pages can search; returns the manifest's file. The
 * manifest is replaced last, so that visitors always find a whole export. Throws LaunchError, ApiError index_not_found and
 * errors of the file system.
 */
export async function exportStatic(options: ServerOptions, uid: string, out: string): Promise<string> {
  const folder = resolve(out);
  makeFolder(folder);
  return withClosedDatabase(options, async ({ dbPath }) => {
    const manifest = await exportIndexFiles(dbPath, uid, (name, bytes) => writeFileSync(join(folder, name), bytes));
    const file = join(folder, MANIFEST);
    replaceFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
    return file;
  });
}

/** The published packages, as in the repository. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders, rootFolder } from '../run/workspace.mjs';

/** Folders of the published packages, relative to the root. */
export function publishedFolders() {
  return packageFolders().filter((folder) => manifestOf(folder).private !== true);
}

/** The package.json of a folder. */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(rootFolder, folder, 'package.json'), 'utf8'));
}

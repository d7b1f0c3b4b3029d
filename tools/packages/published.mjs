/** The published packages, as in the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from '../run/workspace.mjs';

/** Folders of the published packages, relative to the root. */
export function publishedFolders() {
  return ['packages', 'apps']
    .flatMap((parent) => readdirSync(join(rootFolder, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(join(rootFolder, folder, 'package.json')))
    .filter((folder) => manifestOf(folder).private !== true);
}

/** The package.json of a folder. */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(rootFolder, folder, 'package.json'), 'utf8'));
}

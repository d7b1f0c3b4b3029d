/** Prints what is larger than it should be, as warnings: `npm run lint` goes on whatever is found. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findLargeSizes, isSized } from './sizes.mjs';

const rootFolder = fileURLToPath(new URL('../..', import.meta.url));
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'build', '.git', '.turbo', 'coverage', 'data.fossick']);

const files = [];
const walk = (folder) => {
  for (const entry of readdirSync(join(rootFolder, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) walk(path);
    else if (entry.isFile() && isSized(path)) files.push({ path, text: readFileSync(join(rootFolder, path), 'utf8') });
  }
};
walk('');
for (const warning of findLargeSizes(files)) console.warn(`warning: ${warning}`);

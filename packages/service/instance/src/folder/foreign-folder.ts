/**
 * Whose folder is that? A start writes only into one that is empty or that Fossick made, so that a wrong path harms
 * nothing. Looks at names and at the first bytes of files.
 */
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { storeOrigin } from '@fossick/storage';
import { LaunchError } from '../configuration/launch-error.js';
import { INSTANCE_STORES } from './database-id.js';
import { NODE_FOLDER } from './node-names.js';

/** Entries of a folder that a file system or a desktop makes, or that keep an empty folder under version control. */
const NOBODYS =
  /^(lost\+found|\.DS_Store|\.gitkeep|\.gitignore|\.keep|\.snapshots?|\.nfs\w+|\.Trash.*|\.fseventsd|\.Spotlight-V100|Thumbs\.db|desktop\.ini|@eaDir|System Volume Information|\$RECYCLE\.BIN)$/;
/** Copies of this program that may be in the folder that they are imported into. */
const COPIES = /^(dumps|snapshots)$|\.(dump|snapshot)$/;
/** What a database may have without any of the signs that make it known. */
const OWN_FILES = new Set(['LOCK', 'VERSION', 'ID', 'moving.json']);
const OWN_FOLDERS = new Set([...INSTANCE_STORES, 'indexes', 'update_files', NODE_FOLDER, 'importing']);
/** Files of a store's folder. */
const STORE_FILES =
  /^(data\.mdb.*|lock\.mdb.*|DAMAGED|UNWALKED(\.opened)?|UNNAMED|attempt|RESERVE|summary\.json|base-entry)$/;
/** What Meilisearch has in the folder of a database; any two of them, and a store of its library, tell it. */
const REFERENCE_ENTRIES = ['VERSION', 'instance-uid', 'auth', 'tasks', 'indexes', 'update_files'];
/** How many foreign names an error tells. */
const TOLD_MAX = 3;

/** Throws LaunchError unless the folder is missing, empty, or one of this program. Changes nothing. */
export function refuseForeignFolder(dbPath: string): void {
  const entries = entriesOf(dbPath);
  if (isOwn(dbPath)) return;
  if (isOfReference(dbPath)) throw new LaunchError(ofReference(dbPath));
  const hasMark =
    /^\d+\n/.test(textOf(join(dbPath, 'LOCK'))) || /^[0-9a-f]{8}-[0-9a-f-]{27}\s*$/.test(textOf(join(dbPath, 'ID')));
  if (hasMark) return;
  const foreign = entries.filter((entry) => isForeign(dbPath, entry)).map(({ name }) => name);
  if (foreign.length === 0) return;
  const more = foreign.length > TOLD_MAX ? ` and ${foreign.length - TOLD_MAX} more` : '';
  const named = foreign.sort().slice(0, TOLD_MAX).join(', ');
  throw new LaunchError(
    `the folder ${dbPath} is no database of Fossick and not empty (${named}${more}): ${within(dbPath, entries)}name an empty folder, or one that does not exist; nothing in it was changed`,
  );
}

function ofReference(dbPath: string): string {
  const version = /^v?\d+\.\d+\.\d+\S*$/.exec(textOf(join(dbPath, 'VERSION')).trim())?.[0];
  const whose = `Meilisearch${version === undefined ? '' : ` ${version}`}`;
  return (
    `the folder ${dbPath} is a database of ${whose}, which Fossick does not open: start that server on it and copy it with ` +
    '`fossick move --from URL --db-path NEW_FOLDER`, or import a dump of it; nothing in it was changed'
  );
}

/** Names a database in a folder of the folder. */
function within(dbPath: string, entries: readonly Dirent[]): string {
  const inner = entries.find((entry) => entry.isDirectory() && isOwn(join(dbPath, entry.name)));
  return inner === undefined ? '' : `did you mean ${join(dbPath, inner.name)}? Otherwise `;
}

function isOwn(dbPath: string): boolean {
  return ['', 'imported'].some((stage) =>
    INSTANCE_STORES.some((name) => storeOrigin(join(dbPath, stage, name)) === 'own'),
  );
}

function isOfReference(dbPath: string): boolean {
  const hasStore = ['auth', 'tasks'].some((name) => storeOrigin(join(dbPath, name)) === 'other');
  const found = REFERENCE_ENTRIES.filter((name) => existsSync(join(dbPath, name)));
  return found.length >= 2 && (hasStore || found.includes('instance-uid'));
}

function isForeign(dbPath: string, entry: Dirent): boolean {
  const { name } = entry;
  if (NOBODYS.test(name) || COPIES.test(name)) return false;
  if (!entry.isDirectory()) return !OWN_FILES.has(name);
  if (!OWN_FOLDERS.has(name)) return true;
  return name !== 'update_files' && hasForeignFile(join(dbPath, name));
}

function hasForeignFile(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).some((entry) =>
    entry.isDirectory()
      ? !STORE_FILES.test(entry.name) && hasForeignFile(join(folder, entry.name))
      : !STORE_FILES.test(entry.name),
  );
}

function entriesOf(dbPath: string): Dirent[] {
  // a name that is no folder, and one that cannot be read, have their own errors
  if (statSync(dbPath, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  try {
    return readdirSync(dbPath, { withFileTypes: true });
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, 100);
  } catch {
    return '';
  }
}

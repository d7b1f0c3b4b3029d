import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { apiError } from '@fossick/base';
import type { ExtensionRoute } from '@fossick/runtime/extension';
import type { CopyFilesAnswer } from './description.js';

/** What `toDumpUid` makes. */
const DUMP_UID = /^\d{8}-\d{9}$/;

/** One kind of copies, and which files of its folder are some: a name that is no copy is never made a path. */
interface CopyKind {
  readonly path: string;
  readonly ending: string;
  readonly missing: 'dump_not_found' | 'snapshot_not_found';
  readonly folder: string;
  isCopy(uid: string): boolean;
}

/**
 * The dumps and snapshots in the folders of this server, and their bytes. Who reads one has every document, and the keys: only the
 * master key and keys of everything may. Their paths begin with `_fossick`: the reference engine answers `GET /dumps` with 405.
 */
export function copyFileRoutes(dbPath: string, dumpFolder: string, snapshotFolder: string): ExtensionRoute[] {
  const kinds: readonly CopyKind[] = [
    {
      path: '/_fossick/dumps',
      ending: '.dump',
      missing: 'dump_not_found',
      folder: dumpFolder,
      isCopy: (uid) => DUMP_UID.test(uid),
    },
    {
      path: '/_fossick/snapshots',
      ending: '.snapshot',
      missing: 'snapshot_not_found',
      folder: snapshotFolder,
      // the folder may be that of other databases, too
      isCopy: (uid) => uid === basename(dbPath),
    },
  ];
  return kinds.flatMap((kind): ExtensionRoute[] => [
    {
      method: 'GET',
      path: kind.path,
      action: '*',
      answer: async () => ({
        status: 200,
        json: { results: await listCopies(kind) } satisfies CopyFilesAnswer,
      }),
    },
    {
      method: 'GET',
      path: `${kind.path}/:uid/file`,
      action: '*',
      answer({ parameters: { uid = '' } }) {
        const missing = apiError(kind.missing, uid);
        if (!kind.isCopy(uid)) throw missing;
        const name = `${uid}${kind.ending}`;
        return { status: 200, file: { path: join(kind.folder, name), name, mediaType: 'application/gzip', missing } };
      },
    },
  ]);
}

/** The latest first. A copy has its name as soon as it is whole. */
async function listCopies({ folder, ending, isCopy }: CopyKind): Promise<CopyFilesAnswer['results']> {
  const names = await readdir(folder).catch(orMissing([]));
  const listed = await Promise.all(
    names.map(async (name) => {
      const uid = name.slice(0, -ending.length);
      if (!name.endsWith(ending) || !isCopy(uid)) return [];
      const facts = await lstat(join(folder, name)).catch(orMissing(undefined));
      return facts?.isFile() === true ? [{ uid, size: facts.size, createdAt: facts.mtime.toISOString() }] : [];
    }),
  );
  return listed.flat().sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
}

/** What is not there any more is no fault. */
const orMissing =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };

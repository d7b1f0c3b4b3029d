import { lstat, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { CopyFilesAnswer } from '@fossick/api';
import { apiError } from '@fossick/base';
import type { ServerOptions } from '@fossick/instance';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, type ServerContext, sendJson } from '../../context.js';
import { sendFile } from '../../http/answers/file-answer.js';
import type { Router } from '../../http/router.js';

/** What `toDumpUid` makes. */
const DUMP_UID = /^\d{8}-\d{9}$/;

/** One kind of copies, and which files of its folder are some: a name that is no copy is never made a path. */
interface CopyKind {
  readonly ending: string;
  readonly missing: 'dump_not_found' | 'snapshot_not_found';
  readonly folderOf: (options: ServerOptions) => string;
  readonly isCopy: (uid: string, options: ServerOptions) => boolean;
}
const KINDS: Readonly<Record<string, CopyKind>> = {
  '/dumps': {
    ending: '.dump',
    missing: 'dump_not_found',
    folderOf: ({ dumpFolder }) => dumpFolder,
    isCopy: (uid) => DUMP_UID.test(uid),
  },
  '/snapshots': {
    ending: '.snapshot',
    missing: 'snapshot_not_found',
    folderOf: ({ snapshotFolder }) => snapshotFolder,
    // the folder may be that of other databases, too
    isCopy: (uid, { dbPath }) => uid === basename(resolve(dbPath)),
  },
};

/**
 * The dumps and snapshots in the folders of this server, and their bytes. Who reads one has every document, and the keys: only the
 * master key and keys of everything may.
 */
export function registerCopyFiles(router: Router, context: ServerContext): void {
  for (const [path, kind] of Object.entries(KINDS)) {
    router.on('GET', path, async (request, reply) => {
      authorize(context, request, '*');
      return sendJson(reply, { results: await listCopies(kind, context.options) } satisfies CopyFilesAnswer);
    });
    router.on('GET', `${path}/:uid/file`, async (request, reply) => {
      authorize(context, request, '*');
      return sendCopy(kind, context.options, request, reply);
    });
  }
}

/** The latest first. A copy has its name as soon as it is whole. */
async function listCopies(kind: CopyKind, options: ServerOptions): Promise<CopyFilesAnswer['results']> {
  const folder = resolve(kind.folderOf(options));
  const names = await readdir(folder).catch(orMissing([]));
  const listed = await Promise.all(
    names.map(async (name) => {
      const uid = name.slice(0, -kind.ending.length);
      if (!name.endsWith(kind.ending) || !kind.isCopy(uid, options)) return [];
      const facts = await lstat(join(folder, name)).catch(orMissing(undefined));
      return facts?.isFile() === true ? [{ uid, size: facts.size, createdAt: facts.mtime.toISOString() }] : [];
    }),
  );
  return listed.flat().sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
}

async function sendCopy(
  kind: CopyKind,
  options: ServerOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { uid } = pathOf<'uid'>(request);
  const name = `${uid}${kind.ending}`;
  const path = kind.isCopy(uid, options) ? join(resolve(kind.folderOf(options)), name) : undefined;
  const isSent = path !== undefined && (await sendFile(request, reply, { path, name, mediaType: 'application/gzip' }));
  if (!isSent) throw apiError(kind.missing, uid);
  return reply;
}

/** What is not there any more is no fault. */
const orMissing =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };

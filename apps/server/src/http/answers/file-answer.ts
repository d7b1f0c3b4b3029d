import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { apiError } from '@fossick/base';
import type { AnsweredFile } from '@fossick/runtime/extension';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A client that takes nothing of a file for this long, in milliseconds, is left. */
const STALL_MS = 60_000;

interface Span {
  readonly start: number;
  /** The last byte. */
  readonly end: number;
}

/**
 * Sends a file, or the range of it that is asked for, as it is: it is never compressed. Who asks again with `If-Range` gets the rest of
 * the same file, or the whole of another one. False where there is no such file, or something else. Memory: one piece
 * of a stream. @throws ApiError unsatisfiable_range
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, name, mediaType }: Omit<AnsweredFile, 'missing'>,
): Promise<boolean> {
  const handle = await openFile(path);
  if (handle === undefined) return false;
  try {
    const facts = await handle.stat({ bigint: true });
    if (!facts.isFile()) {
      await handle.close();
      return false;
    }
    const size = Number(facts.size);
    const tag = `"${facts.ino.toString(36)}-${facts.size.toString(36)}-${facts.mtimeNs.toString(36)}"`;
    const { range, 'if-range': known } = request.headers;
    const span = known === undefined || known === tag ? readRange(range, size) : undefined;
    reply.header('accept-ranges', 'bytes');
    if (span === null) {
      reply.header('content-range', `bytes */${size}`);
      throw apiError('unsatisfiable_range', size);
    }
    if (span !== undefined) reply.code(206).header('content-range', `bytes ${span.start}-${span.end}/${size}`);
    reply
      .header('content-type', mediaType)
      .header('content-length', span === undefined ? size : span.end - span.start + 1)
      .header('content-disposition', `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`)
      .header('cache-control', 'no-store, no-transform')
      .header('etag', tag)
      .header('x-content-type-options', 'nosniff');
    reply.raw.setTimeout(STALL_MS, () => reply.raw.destroy());
    // without a range, bytes that are added meanwhile are not sent either: the length is told already
    reply.send(handle.createReadStream(span ?? (size === 0 ? {} : { start: 0, end: size - 1 })));
    return true;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Undefined for what is not there, or is a link: that would lead elsewhere. */
async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    // a pipe would be waited for
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENOTDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}

/**
 * The one range of a header (RFC 9110, section 14): undefined for the whole file, which also answers several ranges and what is
 * no range; null where nothing of the file is in it.
 */
export function readRange(header: string | undefined, size: number): Span | undefined | null {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '')
    return Number(to) === 0 || size === 0 ? null : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const start = Number(from);
  const last = to === '' ? Number.POSITIVE_INFINITY : Number(to);
  if (last < start) return undefined;
  return start >= size ? null : { start, end: Math.min(last, size - 1) };
}

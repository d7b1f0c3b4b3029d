import { completedLocation, parseS3Url, S3Objects } from '@fossick/objects/s3';
import type { S3Options } from '../options.js';

/** An archive in an object store. */
export interface ObjectSource {
  readonly kind: 'snapshot' | 'dump';
  /** Null: there is none at that address. */
  readonly archive: AsyncIterable<Uint8Array> | null;
}

const KINDS = ['snapshot', 'dump'] as const;
/** Keys that an error shows. */
const SHOWN_MAX = 5;

/**
 * The snapshot or dump at an address `s3://bucket/key`, or the only snapshot whose key begins with `key`, or the only dump where there is no
 * snapshot. What the address
 * leaves out comes from the options. Nothing is read before the archive is. Throws TypeError for a wrong address, S3Error
 * for what the store does not do, and Error when several archives begin so.
 */
export async function openSource(url: string, options: S3Options): Promise<ObjectSource> {
  const given = parseS3Url(url);
  const location = { ...completedLocation(given, options), prefix: '' };
  const objects = new S3Objects({ location, credentials: options.credentials });
  const start = given.prefix.replace(/\/$/, '');
  const named = kindOf(start);
  if (named !== undefined) return { kind: named, archive: await objects.get(start) };
  const keys: string[] = [];
  for await (const { key } of objects.list(start)) if (kindOf(key) !== undefined) keys.push(key);
  const snapshots = keys.filter((key) => kindOf(key) === 'snapshot');
  const found = snapshots.length > 0 ? snapshots : keys;
  if (found.length > 1) {
    const shown = found.slice(0, SHOWN_MAX).join(', ');
    throw new Error(`there are ${found.length} of them: ${shown}${found.length > SHOWN_MAX ? ', …' : ''}; name one`);
  }
  const [key] = found;
  return key === undefined
    ? { kind: 'snapshot', archive: null }
    : { kind: kindOf(key)!, archive: await objects.get(key) };
}

function kindOf(key: string): 'snapshot' | 'dump' | undefined {
  return KINDS.find((kind) => key.endsWith(`.${kind}`));
}

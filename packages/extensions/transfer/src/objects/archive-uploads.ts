import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type ApiError, apiError, BatchCanceled } from '@fossick/base';
import { PARTS_MAX, S3Error, type S3ErrorKind, type S3Location, S3Objects, s3Location } from '@fossick/objects/s3';
import type { S3Options } from '../options.js';

/** What an archive may have more than the files in it: headers of entries, and blocks that gzip does not compress. */
const OVERHEAD = 1.02;
const OVERHEAD_BYTES = 16 << 20;
/** What the keys of dumps begin with, below the prefix: there may be many, and one snapshot. */
const DUMPS = 'dumps/';

/** Where archives are in a bucket. Throws TypeError for options that no bucket has. */
function locationOf({ prefix, region, endpoint }: S3Options, bucket: string): S3Location {
  return s3Location({ bucket, prefix, region, endpoint, isPathStyle: endpoint !== null });
}

/** Throws TypeError or S3Error where options cannot be used, or the client of the store is not installed. */
export function checkUploads(options: S3Options, bucket: string): void {
  const { credentials } = options;
  new S3Objects({ location: locationOf(options, bucket), credentials });
}

/** What an archive is of, which says where it is below the prefix and which codes its errors have. */
export type ArchiveKind = 'snapshot' | 'dump';

/** Snapshots and dumps that are written to an object store. */
export class ArchiveUploads {
  private readonly options: S3Options;
  private readonly location: S3Location;
  private readonly kind: ArchiveKind;

  /** Throws ApiError for options that no store takes. */
  constructor(options: S3Options, bucket: string, kind: ArchiveKind) {
    this.options = options;
    this.kind = kind;
    try {
      this.location = locationOf(options, bucket);
    } catch (error) {
      throw apiError(CODES[kind].parameters, (error as Error).message);
    }
  }

  /**
   * Uploads the archive that `pack` makes, while it is made, and returns its address. Replaces the archive of that name as
   * soon as it is whole; when it throws, that one is still there, and nothing of the new one. Throws ApiError for what the
   * store does not do. Memory: the parts that are sent.
   *
   * @param bytes of the files in the archive, about
   * @param isOver whether the upload is to be given up
   */
  async write(
    name: string,
    bytes: number,
    pack: (take: (archive: AsyncIterable<Uint8Array>) => Promise<void>) => Promise<void>,
    isOver: () => boolean,
  ): Promise<string> {
    const { credentials, inFlightParts } = this.options;
    const partBytes = Math.max(this.options.partBytes, Math.ceil((bytes * OVERHEAD + OVERHEAD_BYTES) / PARTS_MAX));
    const key = this.kind === 'dump' ? `${DUMPS}${keyName(name)}.dump` : `${keyName(name)}.snapshot`;
    try {
      const objects = new S3Objects({ location: this.location, credentials, partBytes, inFlightParts });
      // of a process that was killed while it uploaded
      await objects.abortUploads(key);
      await pack(async (archive) => void (await objects.put(key, watched(archive, this.kind, isOver))));
    } catch (error) {
      throw error instanceof S3Error ? this.ofTask(error) : error;
    }
    return `s3://${this.location.bucket}/${this.location.prefix}${key}`;
  }

  /** The same with an archive that is a file. */
  async writeFile(name: string, file: string, isOver: () => boolean): Promise<string> {
    const { size } = await stat(file);
    return await this.write(name, size, (take) => take(createReadStream(file)), isOver);
  }

  private ofTask({ kind, message }: S3Error): ApiError {
    return apiError(CODES[this.kind][FAULTS[kind]], message);
  }
}

async function* watched(
  archive: AsyncIterable<Uint8Array>,
  kind: ArchiveKind,
  isOver: () => boolean,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of archive) {
    if (isOver()) throw new BatchCanceled(`the ${kind} was canceled`);
    yield chunk;
  }
}

/** The name of a folder as a part of a key: other characters than the port of objects allows are replaced. */
function keyName(name: string): string {
  return name.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');
}

const CODES = {
  snapshot: {
    request: 'invalid_s3_snapshot_request',
    parameters: 'invalid_s3_snapshot_parameters',
    server: 's3_snapshot_server_error',
  },
  dump: {
    request: 'invalid_s3_dump_request',
    parameters: 'invalid_s3_dump_parameters',
    server: 's3_dump_server_error',
  },
} as const;

const FAULTS: Readonly<Record<S3ErrorKind, 'request' | 'parameters' | 'server'>> = {
  clock: 'request',
  credentials: 'request',
  access: 'request',
  bucket: 'request',
  region: 'request',
  refused: 'request',
  setup: 'parameters',
  busy: 'server',
  unreachable: 'server',
};

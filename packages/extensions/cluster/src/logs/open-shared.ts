import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LaunchError } from '@fossick/instance';
import { FolderObjects, type ObjectStore, probeObjects } from '@fossick/objects';
import type { S3Credentials } from '@fossick/objects/s3';
import { type CommitLog, ObjectLog, REPLICA_TIMING, type ReplicaTiming } from '@fossick/replication';
import type { ClusterOptions } from '../options.js';

/** Records in PostgreSQL are rows, which are read as a whole. */
const INLINE_BYTES_MAX_POSTGRES = 256 << 10;
/** In a store of objects an entry is an object of up to 8 MiB. */
const INLINE_BYTES_MAX_OBJECTS = 7 << 20;
/** PostgreSQL answers within milliseconds, so that a leader's silence is noticed earlier. */
const POSTGRES_TIMING: Partial<ReplicaTiming> = { beatMs: 1_000, silenceMs: 6_000 };

const POSTGRES = '--cluster-log postgres';

/** What the nodes of a cluster share. */
export interface Shared {
  readonly log: CommitLog;
  readonly objects: ObjectStore;
  /** Longer bodies of records go into objects. */
  readonly inlineBytesMax: number;
  readonly timing: ReplicaTiming;
  /** Tries whether a log of objects is safe there. Throws UnsafeStoreError, and rejects when the store does not answer. */
  probe(): Promise<void>;
  /** What the settings of the log put at risk, in sentences. Rejects when it does not answer. */
  warnings(): Promise<readonly string[]>;
}

/** What the addresses of a store of S3 leave out. */
export interface S3Access {
  readonly region: string | null;
  readonly endpoint: string | null;
  readonly credentials: S3Credentials;
}

export interface SharedOptions extends Pick<ClusterOptions, 'logUrl' | 'objectsUrl' | 'lingerMs'> {
  /** As the tools of AWS find it when absent. */
  readonly s3?: S3Access;
}

const OF_ENVIRONMENT: S3Access = { region: null, endpoint: null, credentials: { from: 'environment' } };

/** Opens the log and the store of objects of the options. Nothing connects before it is used. Throws LaunchError. */
export async function openShared(options: SharedOptions, logName: string): Promise<Shared> {
  const objects = await openObjects('--cluster-objects', options.objectsUrl, options.s3);
  const { logUrl, lingerMs } = options;
  const timing = { ...REPLICA_TIMING, lingerMs, ...testTiming() };
  if (logUrl !== null && /^postgres(ql)?:/.test(logUrl)) {
    const { PostgresLog } = await import('@fossick/replication/postgres');
    const log = opened(POSTGRES, () => new PostgresLog({ url: logUrl, name: logName }));
    const warnings = (): Promise<readonly string[]> => log.warnings();
    return {
      log,
      objects,
      inlineBytesMax: INLINE_BYTES_MAX_POSTGRES,
      timing: { ...timing, ...POSTGRES_TIMING, ...testTiming() },
      probe: () => Promise.resolve(),
      warnings,
    };
  }
  const logObjects = logUrl === null ? objects : await openObjects('--cluster-log', logUrl, options.s3);
  return {
    log: new ObjectLog({ objects: logObjects, name: logName }),
    objects,
    inlineBytesMax: INLINE_BYTES_MAX_OBJECTS,
    timing,
    // the file system links a name once
    probe: async () => {
      if (!(logObjects instanceof FolderObjects)) await probeObjects(logObjects, { key: `probe/${randomUUID()}` });
    },
    warnings: () => Promise.resolve([]),
  };
}

async function openObjects(option: string, url: string, s3: S3Access = OF_ENVIRONMENT): Promise<ObjectStore> {
  if (url.startsWith('file:')) return new FolderObjects(opened(option, () => folderOf(url)));
  const { completedLocation, parseS3Url, S3Objects } = await import('@fossick/objects/s3');
  const { credentials } = s3;
  return opened(option, () => new S3Objects({ location: completedLocation(parseS3Url(url), s3), credentials }));
}

/** The folder of a URL, which may be missing. A file in its place, or above it, would never answer. */
function folderOf(url: string): string {
  const path = fileURLToPath(url);
  let isFolder: boolean;
  try {
    isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error;
    isFolder = false;
  }
  if (!isFolder) throw new Error(`${path} is a file, or below one: name a folder that all nodes share`);
  return path;
}

function opened<T>(option: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    // a URL of PostgreSQL may contain a password, and messages may contain the URL
    const reason = option === POSTGRES ? 'the URL cannot be used' : (error as Error).message;
    throw new LaunchError(`${option}: ${reason}`, { cause: error });
  }
}

/** `FOSSICK_TEST_CLUSTER_SILENCE_MS` makes elections of tests faster. */
function testTiming(): Partial<ReplicaTiming> {
  const text = process.env['FOSSICK_TEST_CLUSTER_SILENCE_MS'];
  if (text === undefined) return {};
  const silenceMs = Number(text);
  return { silenceMs, beatMs: silenceMs / 5, spreadMs: silenceMs / 5, vacancySpreadMs: silenceMs / 10 };
}

import {
  bytesOption,
  flagOption,
  integerOption,
  OptionError,
  type OptionGroup,
  type OptionValues,
  optionalSecondsOption,
  textOption,
  vitalOption,
} from '@fossick/instance';
import { readS3Credentials, type S3Credentials } from '@fossick/objects/s3/credentials';

const SECONDS_OF_A_DAY = 86_400;

export const TRANSFER_OPTIONS: OptionGroup = {
  title: 'Dumps and snapshots',
  options: [
    textOption('dump-dir', 'folder of dumps', '=dumps/'),
    vitalOption(textOption('import-dump', 'dump to start an empty database from: a file, or s3://bucket/key')),
    flagOption('ignore-missing-dump', 'start empty when the dump to import does not exist'),
    flagOption('ignore-dump-if-db-exists', 'start without importing when there is a database already'),
    textOption('snapshot-dir', 'folder of snapshots', '=snapshots/'),
    optionalSecondsOption(
      'schedule-snapshot',
      'write a snapshot every N seconds (a day when none are named)',
      'no snapshots by themselves',
    ),
    vitalOption(textOption('import-snapshot', 'snapshot to start an empty database from: a file, or s3://bucket/key')),
    flagOption('ignore-missing-snapshot', 'start empty when the snapshot to import does not exist'),
    flagOption('ignore-snapshot-if-db-exists', 'start without importing when there is a database already'),
    textOption(
      's3-bucket-name',
      'bucket of a store that speaks the protocol of S3, for snapshots and dumps',
      'the folders of snapshots and dumps',
    ),
    textOption('s3-bucket-url', 'address of the store', 'AWS, in the region'),
    textOption('s3-bucket-region', 'region of the bucket', 'us-east-1 with an address, else that of the AWS tools'),
    textOption('s3-snapshot-prefix', 'first part of the keys of snapshots and dumps', 'none'),
    textOption('s3-access-key', 'access key', 'environment, files, container or machine, as the AWS tools'),
    textOption('s3-secret-key', 'its secret'),
    textOption('experimental-s3-role-arn', 'role to take on by a web identity, instead of keys'),
    textOption('experimental-s3-web-identity-token-file', 'file with the token of the web identity'),
    integerOption(
      'experimental-s3-max-in-flight-parts',
      'parts of a snapshot or dump sent, and held in memory, at a time',
      4,
    ),
    bytesOption(
      'experimental-s3-multipart-part-size',
      'size of a part, of which a snapshot has 10,000 at most',
      16 << 20,
    ),
    integerOption('experimental-s3-compression-level', 'compression of the snapshot, 0 to 9', 0),
  ],
};

export interface TransferOptions {
  readonly dumpFolder: string;
  readonly snapshotFolder: string;
  /** The object store of snapshots and imports. */
  readonly s3: S3Options;
  /** The dump or snapshot that an empty database starts with. */
  readonly launchImport: LaunchImport | null;
  /** null when no snapshots are scheduled. */
  readonly snapshotEverySeconds: number | null;
}

/** A dump or snapshot to import at the start, and the operator's choices about its errors. */
export interface LaunchImport {
  readonly kind: 'dump' | 'snapshot';
  readonly file: string;
  readonly ignoreMissing: boolean;
  readonly ignoreIfDbExists: boolean;
}

/** Throws OptionError. */
export function readTransfer(values: OptionValues): TransferOptions {
  return {
    dumpFolder: values.text('dump-dir')!,
    snapshotFolder: values.text('snapshot-dir')!,
    s3: readS3Options(values),
    launchImport: readLaunchImport(values),
    snapshotEverySeconds: readSnapshotPeriod(values),
  };
}

/** Throws OptionError when the import options contradict each other. */
function readLaunchImport(values: OptionValues): LaunchImport | null {
  const found = (['dump', 'snapshot'] as const).flatMap((kind): LaunchImport[] => {
    const file = values.text(`import-${kind}`);
    const waivers = [`ignore-missing-${kind}`, `ignore-${kind}-if-db-exists`] as const;
    const lone = waivers.find((flag) => values.has(flag));
    if (file === null && lone !== undefined) throw new OptionError(`--${lone} needs --import-${kind}`);
    if (file === null) return [];
    return [{ kind, file, ignoreMissing: values.has(waivers[0]), ignoreIfDbExists: values.has(waivers[1]) }];
  });
  if (found.length > 1) throw new OptionError('--import-dump and --import-snapshot exclude each other');
  return found[0] ?? null;
}

function readSnapshotPeriod(values: OptionValues): number | null {
  const text = values.text('schedule-snapshot');
  if (text === null || text === 'false') return null;
  const seconds = text === 'true' ? SECONDS_OF_A_DAY : values.integer('schedule-snapshot');
  if (seconds === 0) throw values.wrong('schedule-snapshot', 'would be a snapshot every 0 seconds');
  return seconds;
}

/** Where an object store is, and who asks there. */
export interface S3Options {
  /** Of snapshots that are written, and of copies of dumps; null: they go to their folders. */
  readonly bucket: string | null;
  /** Keys of snapshots and dumps begin with it. */
  readonly prefix: string;
  /** Null: from the environment or the files of the AWS tools. */
  readonly region: string | null;
  /** Null: AWS. */
  readonly endpoint: string | null;
  readonly credentials: S3Credentials;
  /** Parts of one upload that are sent, and held in memory, at a time. */
  readonly inFlightParts: number;
  /** Of a part; larger for snapshots that would have more parts than an object may have. */
  readonly partBytes: number;
  /** Of gzip: 0 to 9. */
  readonly compressionLevel: number;
}

const PART_BYTES_MIN = 5 << 20;
const PART_BYTES_MAX = 5 * 2 ** 30;
/** Options that are about a bucket in which snapshots are written. */
const OF_A_BUCKET = [
  's3-bucket-url',
  's3-bucket-region',
  's3-snapshot-prefix',
  's3-access-key',
  'experimental-s3-role-arn',
];

/** Throws OptionError. */
function readS3Options(values: OptionValues): S3Options {
  const inFlightParts = values.integer('experimental-s3-max-in-flight-parts')!;
  if (inFlightParts === 0) throw values.wrong('experimental-s3-max-in-flight-parts', 'would send nothing');
  const compressionLevel = values.integer('experimental-s3-compression-level')!;
  if (compressionLevel > 9) throw values.wrong('experimental-s3-compression-level', 'is more than 9');
  const partBytes = values.bytes('experimental-s3-multipart-part-size')!;
  if (partBytes < PART_BYTES_MIN || partBytes > PART_BYTES_MAX)
    throw values.wrong('experimental-s3-multipart-part-size', 'is not between 5 MiB and 5 GiB');
  return {
    bucket: values.text('s3-bucket-name'),
    prefix: values.text('s3-snapshot-prefix') ?? '',
    region: values.text('s3-bucket-region'),
    endpoint: values.text('s3-bucket-url'),
    credentials: readS3Credentials(
      (flag) => values.text(flag),
      (problem) => new OptionError(problem),
    ),
    inFlightParts,
    partBytes,
    compressionLevel,
  };
}

/** A server that would write its snapshots to the disk although its options speak of a bucket does not start. */
export function checkS3Bucket(values: OptionValues): void {
  const lone = values.has('s3-bucket-name') ? undefined : OF_A_BUCKET.find((flag) => values.has(flag));
  // what an import from a bucket needs
  if (lone !== undefined && !isObject(values.text('import-snapshot') ?? values.text('import-dump') ?? ''))
    throw new OptionError(`${values.originOf(lone)} needs --s3-bucket-name`);
}

/** Whether a text is the address of an object, and not the path of a file. */
export function isObject(text: string): boolean {
  return /^s3:/i.test(text);
}

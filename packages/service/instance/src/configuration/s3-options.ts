import { OptionError, type OptionValues } from './option-values.js';

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
  readonly credentials: S3OptionCredentials;
  /** Parts of one upload that are sent, and held in memory, at a time. */
  readonly inFlightParts: number;
  /** Of a part; larger for snapshots that would have more parts than an object may have. */
  readonly partBytes: number;
  /** Of gzip: 0 to 9. */
  readonly compressionLevel: number;
}
export type S3OptionCredentials =
  | { readonly from: 'environment' }
  | { readonly from: 'keys'; readonly accessKey: string; readonly secretKey: string }
  | { readonly from: 'role'; readonly roleArn: string; readonly tokenFile: string };

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
export function readS3Options(values: OptionValues): S3Options {
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
    credentials: readCredentials(values),
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

function readCredentials(values: OptionValues): S3OptionCredentials {
  const keys = pairOf(values, 's3-access-key', 's3-secret-key');
  const role = pairOf(values, 'experimental-s3-role-arn', 'experimental-s3-web-identity-token-file');
  if (keys !== null && role !== null)
    throw new OptionError('--s3-access-key and --experimental-s3-role-arn exclude each other');
  if (keys !== null) return { from: 'keys', accessKey: keys[0], secretKey: keys[1] };
  return role === null ? { from: 'environment' } : { from: 'role', roleArn: role[0], tokenFile: role[1] };
}

function pairOf(values: OptionValues, first: string, second: string): readonly [string, string] | null {
  const [left, right] = [values.text(first), values.text(second)];
  if (left === null && right === null) return null;
  if (left === null || right === null) throw new OptionError(`--${first} and --${second} go together`);
  return [left, right];
}

/** Whether a text is the address of an object, and not the path of a file. */
export function isObject(text: string): boolean {
  return /^s3:/i.test(text);
}

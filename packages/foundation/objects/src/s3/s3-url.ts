import { checkKey } from '../object-bytes.js';

/** Where objects are. */
export interface S3Location {
  readonly bucket: string;
  /** Empty, or ends in a slash. Keys of objects begin with it. */
  readonly prefix: string;
  /** Null: from the environment or the files of the AWS tools. */
  readonly region: string | null;
  /** URL of the server; null: that of AWS for the region. */
  readonly endpoint: string | null;
  /** Whether the bucket is a part of the path, and not of the host name. */
  readonly isPathStyle: boolean;
}

const PARAMETERS = ['region', 'endpoint', 'pathStyle'];
/** Names of buckets are shorter with AWS; others take more. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,221}$/;
/** Servers other than AWS check a signature for a region, and few have any. */
const DEFAULT_REGION = 'us-east-1';

/**
 * The parts of `s3://BUCKET/PREFIX?region=…&endpoint=…&pathStyle=true|false`, of which only the bucket is needed. With
 * an endpoint, `pathStyle` is true unless the URL says otherwise. Throws TypeError, which never repeats the URL: people
 * put secrets into URLs.
 */
export function parseS3Url(text: string): S3Location {
  if (!URL.canParse(text) || !text.startsWith('s3://')) throw wrong('begins with s3:// and the name of a bucket');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw wrong('has no credentials: those come from the environment, from files or from options');
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw wrong(`has the parameters ${PARAMETERS.join(', ')} only`);
  const endpoint = url.searchParams.get('endpoint');
  const pathStyle = url.searchParams.get('pathStyle');
  if (pathStyle !== null && pathStyle !== 'true' && pathStyle !== 'false') throw wrong('has pathStyle=true or =false');
  return s3Location({
    bucket: url.host,
    prefix: url.pathname,
    region: url.searchParams.get('region'),
    endpoint,
    isPathStyle: pathStyle === null ? endpoint !== null : pathStyle === 'true',
  });
}

/** Checks the parts of a location, and brings the prefix into its form. Throws TypeError. */
export function s3Location({ bucket, prefix, region, endpoint, isPathStyle }: S3Location): S3Location {
  if (!BUCKET.test(bucket)) throw wrong('names a bucket of at least two of A-Z, a-z, 0-9, dot, underscore, hyphen');
  const path = prefix.replace(/^\/+|\/+$/g, '');
  try {
    if (path !== '') checkKey(path);
  } catch {
    throw wrong(
      'has a prefix of names of A-Z, a-z, 0-9, dot, underscore, hyphen, joined by slashes; none begins with a dot',
    );
  }
  return {
    bucket,
    prefix: path === '' ? '' : `${path}/`,
    region: region ?? (endpoint === null ? null : DEFAULT_REGION),
    endpoint: endpoint === null ? null : checkedEndpoint(endpoint),
    isPathStyle,
  };
}

/** A location with what its address leaves out. Throws TypeError. */
export function completedLocation(given: S3Location, rest: Pick<S3Location, 'region' | 'endpoint'>): S3Location {
  const endpoint = given.endpoint ?? rest.endpoint;
  const isPathStyle = given.isPathStyle || (given.endpoint === null && endpoint !== null);
  return s3Location({ ...given, region: given.region ?? rest.region, endpoint, isPathStyle });
}

function checkedEndpoint(text: string): string {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) throw wrong('has an endpoint like https://host:port');
  const { username, password, origin, pathname } = new URL(text);
  if (username !== '' || password !== '') throw wrong('has an endpoint without credentials');
  return pathname === '/' ? origin : `${origin}${pathname}`;
}

function wrong(rule: string): TypeError {
  return new TypeError(`the address of an object store ${rule} (s3://bucket/prefix?region=…&endpoint=…)`);
}

export type { S3Credentials } from './s3/credentials.js';
export { S3Error, type S3ErrorKind } from './s3/s3-error.js';
export { PARTS_MAX, S3Objects } from './s3/s3-objects.js';
export { completedLocation, parseS3Url, type S3Location, s3Location } from './s3/s3-url.js';

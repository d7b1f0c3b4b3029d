import { LaunchError, type S3Options } from '@fossick/instance';

/**
 * Checks the options of an object store as far as that needs no request: the server starts while the store is away. Throws
 * LaunchError.
 */
export async function checkS3(options: S3Options, bucket: string): Promise<void> {
  // only a server with a bucket loads it
  const { checkUploads } = await import('@fossick/copies');
  try {
    checkUploads(options, bucket);
  } catch (error) {
    throw new LaunchError(`snapshots and dumps cannot go to the bucket ${bucket}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

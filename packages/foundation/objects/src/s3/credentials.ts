/** Who asks. */
export type S3Credentials =
  /** Environment, files of the AWS tools, web identity, the container's or the machine's role: what AWS documents. */
  | { readonly from: 'environment' }
  | { readonly from: 'keys'; readonly accessKey: string; readonly secretKey: string }
  | { readonly from: 'role'; readonly roleArn: string; readonly tokenFile: string };

/**
 * Those of options: `given` has the text of an option, or null. Throws what `refuse` makes of the sentence about options
 * that contradict each other.
 */
export function readS3Credentials(
  given: (flag: string) => string | null,
  refuse: (problem: string) => Error,
): S3Credentials {
  const pairOf = (first: string, second: string): readonly [string, string] | null => {
    const [left, right] = [given(first), given(second)];
    if (left === null && right === null) return null;
    if (left === null || right === null) throw refuse(`--${first} and --${second} go together`);
    return [left, right];
  };
  const keys = pairOf('s3-access-key', 's3-secret-key');
  const role = pairOf('experimental-s3-role-arn', 'experimental-s3-web-identity-token-file');
  if (keys !== null && role !== null) throw refuse('--s3-access-key and --experimental-s3-role-arn exclude each other');
  if (keys !== null) return { from: 'keys', accessKey: keys[0], secretKey: keys[1] };
  return role === null ? { from: 'environment' } : { from: 'role', roleArn: role[0], tokenFile: role[1] };
}

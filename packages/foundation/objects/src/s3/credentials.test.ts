import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readS3Credentials, type S3Credentials } from './credentials.js';
import { S3Double } from './doubles/s3-double.test-support.js';
import { S3Objects } from './s3-objects.js';

const KEYS = { AccessKeyId: 'double', SecretAccessKey: 'double-secret', Token: 'a-token' };
const EXPIRES = '2099-01-01T00:00:00Z';
/** Variables that the client reads. */
const KEPT = process.env;

let double: S3Double;
let folder: string;
let paths: string[];
let server: Server;
let address: string;
beforeAll(async () => {
  double = await new S3Double().start();
  folder = mkdtempSync(join(tmpdir(), 'fossick-credentials.'));
  server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    paths.push(`${request.method} ${request.url}`);
    const answer = answerOf(`${request.method} ${request.url}`, request.headers, body);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'text/xml' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = server.address();
  address = `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await double.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  paths = [];
  // nothing of this machine
  process.env = { PATH: KEPT['PATH'], HOME: folder, AWS_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' };
});
afterEach(() => {
  process.env = KEPT;
});

/** The services of AWS that give credentials. */
function answerOf(request: string, headers: NodeJS.Dict<string | string[]>, body: string): string | undefined {
  const role = '/latest/meta-data/iam/security-credentials/';
  if (request === 'PUT /latest/api/token') return 'a-token-of-imdsv2';
  const hasToken = headers['x-aws-ec2-metadata-token'] === 'a-token-of-imdsv2';
  if (request === `GET ${role}` && hasToken) return 'films-role';
  const lasting = JSON.stringify({ ...KEYS, Expiration: EXPIRES, Code: 'Success', Type: 'AWS-HMAC' });
  if (request === `GET ${role}films-role` && hasToken) return lasting;
  if (request === 'GET /container' && headers.authorization === 'for-the-container') return lasting;
  if (request !== 'POST /' || !body.includes('WebIdentityToken=who-this-is')) return undefined;
  const credentials =
    `<AccessKeyId>${KEYS.AccessKeyId}</AccessKeyId><SecretAccessKey>${KEYS.SecretAccessKey}</SecretAccessKey>` +
    `<SessionToken>${KEYS.Token}</SessionToken><Expiration>${EXPIRES}</Expiration>`;
  return (
    '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>' +
    `<Credentials>${credentials}</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`
  );
}

async function put(credentials: S3Credentials = { from: 'environment' }): Promise<unknown> {
  const objects = new S3Objects({ location: double.location(), credentials, timing: { attempts: 1 } });
  return await objects.put('a', Buffer.from('x'));
}

describe('credentials', () => {
  it('come from the environment', async () => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'double', AWS_SECRET_ACCESS_KEY: 'double-secret' });
    expect(await put()).toBe('put');
  });

  it('come from the files of the AWS tools', async () => {
    const file = join(folder, 'credentials');
    writeFileSync(file, '[films]\naws_access_key_id = double\naws_secret_access_key = double-secret\n');
    Object.assign(process.env, { AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'films' });
    expect(await put()).toBe('put');
  });

  it('come from a container (ECS, EKS)', async () => {
    const uri = `${address}/container`;
    Object.assign(process.env, {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: uri,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'for-the-container',
    });
    expect(await put()).toBe('put');
    expect(paths).toEqual(['GET /container']);
  });

  it('come from the role of the machine, by IMDSv2', async () => {
    delete process.env['AWS_EC2_METADATA_DISABLED'];
    process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = address;
    expect(await put()).toBe('put');
    expect(paths[0]).toBe('PUT /latest/api/token');
  });

  it('come from a web identity in the environment', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'who-this-is');
    Object.assign(process.env, {
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/films',
      AWS_WEB_IDENTITY_TOKEN_FILE: file,
      AWS_ENDPOINT_URL_STS: address,
    });
    expect(await put()).toBe('put');
    expect(paths).toEqual(['POST /']);
  });

  it('come from a web identity in the options, whatever the environment has', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'who-this-is');
    const others = { AWS_ACCESS_KEY_ID: 'another', AWS_SECRET_ACCESS_KEY: 'another' };
    Object.assign(process.env, { ...others, AWS_ENDPOINT_URL_STS: address });
    expect(await put({ from: 'role', roleArn: 'arn:aws:iam::123456789012:role/films', tokenFile })).toBe('put');
    expect(paths).toEqual(['POST /']);
  });

  it('that are nowhere are asked for', async () => {
    await expect(put()).rejects.toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining('there are no credentials that'),
    });
  });
});

describe('the options of credentials', () => {
  const KEY_PAIR = { 's3-access-key': 'key', 's3-secret-key': 'secret' };
  const ROLE = { 'experimental-s3-role-arn': 'arn', 'experimental-s3-web-identity-token-file': '/token' };
  const read = (options: Record<string, string>): S3Credentials =>
    readS3Credentials(
      (flag) => options[flag] ?? null,
      (problem) => new RangeError(problem),
    );

  it('leave them to the environment, or are keys or a role', () => {
    expect(read({})).toEqual({ from: 'environment' });
    expect(read(KEY_PAIR)).toEqual({ from: 'keys', accessKey: 'key', secretKey: 'secret' });
    expect(read(ROLE)).toEqual({ from: 'role', roleArn: 'arn', tokenFile: '/token' });
  });

  it.each<[Record<string, string>, string]>([
    [{ 's3-access-key': 'key' }, '--s3-access-key and --s3-secret-key go together'],
    [{ 's3-secret-key': 'secret' }, '--s3-access-key and --s3-secret-key go together'],
    [
      { 'experimental-s3-role-arn': 'arn' },
      '--experimental-s3-role-arn and --experimental-s3-web-identity-token-file go together',
    ],
    [{ ...KEY_PAIR, ...ROLE }, '--s3-access-key and --experimental-s3-role-arn exclude each other'],
  ])('%j are refused', (options, problem) => {
    expect(() => read(options)).toThrow(new RangeError(problem));
  });
});

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { fromTokenFile } from '@aws-sdk/credential-providers';
import type { S3Credentials } from './credentials.js';
import { S3Error } from './s3-error.js';
import type { S3Location } from './s3-url.js';

const CLIENT = '@aws-sdk/client-s3';
const PROVIDERS = '@aws-sdk/credential-providers';
/** Requests at a time: others wait for a connection. */
const CONNECTIONS_MAX = 64;
const CONNECT_MS = 5_000;

/** Commands of the client, which is an optional package: see `loadClient`. */
export type S3Module = typeof import('@aws-sdk/client-s3');

/** The client and its commands. */
export interface S3Connection {
  readonly client: S3Client;
  readonly commands: S3Module;
}

/**
 * Loads the client of AWS and makes one of it; connects nowhere. Throws S3Error when the package is not installed.
 *
 * @param silenceMs after which a connection without a byte is given up
 */
export function connectS3(location: S3Location, credentials: S3Credentials, silenceMs: number): S3Connection {
  const commands = loadPackage(CLIENT) as S3Module;
  const config: S3ClientConfig = {
    ...(location.region === null ? {} : { region: location.region }),
    ...(location.endpoint === null ? {} : { endpoint: location.endpoint }),
    ...credentialsOf(credentials, location),
    forcePathStyle: location.isPathStyle,
    followRegionRedirects: false,
    // attempts are made here: a conditional request must not be repeated without a word
    maxAttempts: 1,
    // other stores than AWS refuse checksums that they do not know; bodies are covered by the signature
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: silenceMs,
      httpAgent: { keepAlive: true, maxSockets: CONNECTIONS_MAX },
      httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS_MAX },
    },
  };
  return { client: new commands.S3Client(config), commands };
}

function credentialsOf(credentials: S3Credentials, { region }: S3Location): Pick<S3ClientConfig, 'credentials'> {
  switch (credentials.from) {
    case 'environment':
      return {};
    case 'keys':
      return { credentials: { accessKeyId: credentials.accessKey, secretAccessKey: credentials.secretKey } };
    case 'role': {
      const { roleArn, tokenFile: webIdentityTokenFile } = credentials;
      const providers = loadPackage(PROVIDERS) as { readonly fromTokenFile: typeof fromTokenFile };
      const clientConfig = region === null ? {} : { region };
      return { credentials: providers.fromTokenFile({ roleArn, webIdentityTokenFile, clientConfig }) };
    }
  }
}

/** A package as installed next to this one, or by the running program. */
function loadPackage(name: string): unknown {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href]) {
    const load = createRequire(from);
    let file: string;
    try {
      file = load.resolve(name);
    } catch {
      continue;
    }
    return load(file);
  }
  throw new S3Error('setup', `an object store needs the package ${name}: npm install ${name}`);
}
